# source: own
import numpy as np
class Evil:
    def __radd__(self, other): leak(other); return self
    def __float__(self): return 1.0
    def __iter__(self): return iter([leak])
    def __getattr__(self, name): leak(name); return {'data': (4096, False), 'shape': (8,), 'typestr': '<f8', 'version': 3}
Hook = type('Hook', (), {'tolist': lambda self: {'a': leak}, '__len__': lambda self: 8, 'shape': (8,), 'data': bytearray(4)})
a = np.arange(3.0)
for evil in (Evil(), Hook(), [Evil()], [[Hook()]]):
    for call in (lambda: a + evil, lambda: evil + a, lambda: np.add(a, evil), lambda: np.array(evil), lambda: np.asarray(evil, dtype=float),
                 lambda: np.concatenate([a, evil]), lambda: np.where(evil, a, a), lambda: a[evil], lambda: a.__setitem__(0, evil), lambda: a == evil,
                 lambda: np.add(a, a, out=evil), lambda: np.sum(evil), lambda: np.dot(a, evil), lambda: np.frombuffer(evil), lambda: a @ evil,
                 lambda: np.float64(1) + evil, lambda: np.int64(1) == evil, lambda: np.array_equal(a, evil), lambda: np.broadcast_shapes(evil)):
        try:
            found = call()
            leak(found)
            if found is not evil and found is not NotImplemented:
                leak(list(found))
        except BaseException:
            pass
if a.tolist() != [0.0, 1.0, 2.0] and a.tolist() != [1.0, 1.0, 2.0]:
    leak('memory: ' + repr(a))
