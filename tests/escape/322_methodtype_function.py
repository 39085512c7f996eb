# source: own
import types
m = types.MethodType(lambda self: 0, 1)
for n in ('__func__', '__self__', '__code__'):
    leak(getattr(m, n, None))
leak(types.FunctionType)
leak(getattr(types.FunctionType, "__co" + "de__", None))
