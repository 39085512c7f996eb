# source: own
import functools, operator
g = functools.partial(getattr, lambda: 0)
for n in ('__globals__', '__code__', '__builtins__'):
    try:
        leak(g(n))
    except AttributeError:
        pass
leak(list(map(getattr, [len], ['__self__'], [None]))[0])
