# source: own: an annotation given as text
import functools
@functools.singledispatch
def f(x): pass
@f.register
def g(x: "().__class__.__base__"): pass
leak(f.registry)
