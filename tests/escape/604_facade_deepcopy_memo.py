# source: own
import array, copy
import numpy as np
a = np.arange(4.0)
class Memo(dict):
    def __setitem__(self, key, value):
        leak(value)
        dict.__setitem__(self, key, value)
for thing in (a, a.flat, np.ndenumerate(a), np.ndindex(2, 2), np.random.default_rng(1), np.random.RandomState(1), np.add, np.dtype(int),
              np.float64(1), np.poly1d([1, 2]), np.vectorize(abs), iter(a), np.errstate(), np.printoptions(), np.finfo(float)):
    memo = Memo()
    try:
        copy.deepcopy(thing, memo)
    except BaseException:
        pass
    for value in list(memo.values()):
        leak(value)
        for item in value if isinstance(value, list) else [value]:
            leak(item)
            if isinstance(item, array.array):
                item[0] = 123.0
    if a[0] != 0.0:
        leak('memory: a live buffer')
