# source: own
import numpy as np
class Name(str):
    def __hash__(self): return hash('float64')
    def __eq__(self, other): leak(other); return True
class Meta:
    def __eq__(self, other): leak(other); return True
    def __hash__(self): return hash(float)
for spec in (object, 'O', 'V8', '|S8', [('a', 'f8')], {'names': ['a'], 'formats': ['O']}, Name('x'), Meta(), type, leak, 'object', np.ndarray, complex):
    for make in (lambda: np.dtype(spec), lambda: np.zeros(2, dtype=spec), lambda: np.array([leak], dtype=spec), lambda: np.arange(3).astype(spec),
                 lambda: np.frombuffer(b'x' * 64, dtype=spec), lambda: np.arange(3).view(spec)):
        try:
            found = make()
            leak(found)
            leak(found[0])
            leak(found.type)
        except BaseException:
            pass
for new in (np.int64.__new__, np.float64.__new__, np.bool_.__new__, np.dtype.__new__, np.ufunc.__new__, np.ndarray.__new__):
    for cls in (type, int, np.float64, np.bool_, np.int64, Name, Meta):
        try:
            leak(new(cls, 7))
        except BaseException:
            pass
