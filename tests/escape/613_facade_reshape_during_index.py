# source: own
import numpy as np
a = np.zeros(16)
class Key:
    def __init__(self, shape): self.shape = shape
    def __index__(self):
        a.shape = self.shape
        return 3
for action in (lambda: a[Key((4, 4))], lambda: a[Key((16, 1)), Key((1, 16))], lambda: a.__setitem__((Key((4, 4)), Key((2, 8))), 7.0),
               lambda: a[Key((2, 8)):Key((8, 2))], lambda: a.take(Key((2, 2, 4))), lambda: a.reshape(Key((16,)), -1), lambda: a.sum(axis=Key((4, 4))),
               lambda: np.put(a, Key((4, 4)), Key((16,))), lambda: a.__setitem__(Key((4, 4)), a)):
    a.shape = (16,)
    try:
        found = action()
        if found is not None and abs(np.asarray(found)).max() > 7:
            leak('memory: out of bounds ' + repr(found))
    except BaseException:
        pass
for shape in ((17,), (-5,), (2**62, 2**62, 0, 4), (4, 4, 2), (0,)):
    try:
        a.shape = shape
        leak('memory: resized to ' + repr(a.shape))
    except BaseException:
        pass
