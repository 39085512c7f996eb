# source: own
import array
import numpy as np
a = np.arange(4.0)
for read in (lambda: memoryview(a), lambda: a.data, lambda: a.base, lambda: a.ctypes, lambda: a.flat.base, lambda: getattr(a, '__array_interface__'),
             lambda: a.getfield, lambda: a.view(np.uint8), lambda: getattr(a, '__buffer__'), lambda: np.asarray(a, copy=False).data):
    try:
        found = read()
    except BaseException:
        continue
    if isinstance(found, (memoryview, array.array)):
        leak('memory: a live buffer')
    leak(found)
