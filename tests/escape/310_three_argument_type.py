# source: own: the three-argument form of type
leak(type('A', (), {'__getattribute__': lambda s, n: 1}))
leak('poison: forbidden dunder through type()')
