# source: own
import numpy as np
a = object.__new__(np.ndarray)
for name, value in (('_data', bytearray(8)), ('_shape', (10**9,)), ('_strides', (1,)), ('_offset', 0), ('_dtype', np.dtype(float)), ('shape', (10**9,))):
    try:
        setattr(a, name, value)
    except BaseException:
        pass
for use in (lambda: a[10**6], lambda: a.tolist(), lambda: repr(a), lambda: a + 1, lambda: a.shape, lambda: len(a)):
    try:
        leak('memory: read ' + repr(use()))
    except BaseException:
        pass
