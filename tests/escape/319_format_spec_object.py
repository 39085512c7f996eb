# source: own: a format specification made by an object
class F(str):
    def __format__(self, spec):
        return '{0.__globals__}'.format(spec)
leak(f"{F('x'):{'a'}}")
leak(format(F('x'), '{0.__class__}'))
leak('{:{}}'.format(1, (lambda: 0)))
