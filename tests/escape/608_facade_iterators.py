# source: own
import array, copy
import numpy as np
a = np.arange(3.0)
for it in (iter(a), iter(a.flat), np.ndenumerate(a), np.ndindex(3), iter(np.eye(2)), reversed(a) if hasattr(a, '__reversed__') else iter(a)):
    for name in ('gi_frame', 'gi_code', 'gi_yieldfrom', '__reduce__', '__setstate__', '__self__', '__length_hint__'):
        try:
            found = getattr(it, name)
            leak(found)
            leak(found())
        except BaseException:
            pass
    try:
        leak(copy.copy(it))
    except BaseException:
        pass
try:
    next(iter(np.array(3)))
except TypeError as e:
    leak(getattr(e, '__traceback__', None))
