# source: own
import numpy as np
class Fake:
    def __init__(self):
        self._shape = (10**9,)
        self._strides = (1,)
        self._offset = 0
        self._data = [leak]
        self.size = 5
    def __getattr__(self, name):
        leak(name)
        return (10**9,)
f = Fake()
for name in ('shape', 'size', 'T', 'dtype', 'strides', 'nbytes', 'flat', 'ndim'):
    try:
        p = getattr(np.ndarray, name)
        leak(p.fget)
        leak(getattr(p.fget, '__globals__', None))
        leak('memory: read ' + repr(p.fget(f)))
    except BaseException:
        pass
    try:
        p.fset(f, (3,))
        leak('memory: wrote a foreign object')
    except BaseException:
        pass
for method in (np.ndarray.tolist, np.ndarray.sum, np.ndarray.reshape, np.ndarray.copy):
    try:
        leak('memory: ran on a stranger ' + repr(method(f)))
    except BaseException:
        pass
