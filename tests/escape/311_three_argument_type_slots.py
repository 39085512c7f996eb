# source: own
A = type('A', (), {'__slots__': ('__array_interface__',)})
leak('poison: dunder slot')
