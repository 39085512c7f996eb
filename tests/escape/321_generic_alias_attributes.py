# source: own: an alias forwards attributes to what is behind it
import types
g = (x for x in ())
A = types.GenericAlias(g, ())
for n in ('gi_frame', 'gi_code', '__self__', '__globals__'):
    leak(getattr(A, n, None))
leak(types.GenericAlias('{0.__globals__}', ()).format(lambda: 0))
