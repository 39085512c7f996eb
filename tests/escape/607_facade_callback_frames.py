# source: own
import numpy as np
def f(*args):
    try:
        raise ValueError
    except ValueError as e:
        for name in ('__traceback__', 'tb_frame', 'f_back', 'with_traceback'):
            try:
                leak(getattr(e, name))
            except BaseException:
                pass
    for a in args:
        leak(a)
    return 1
np.vectorize(f)([1, 2])
np.apply_along_axis(f, 0, np.eye(2))
np.fromfunction(f, (2, 2))
np.piecewise(np.array([1.0]), [True], [f])
np.set_printoptions(formatter={'all': f})
repr(np.arange(3))
class K:
    def __index__(self): return f()
    def __float__(self): return float(f())
np.arange(3)[K()]
np.array([K()], dtype=float)
def gen():
    yield 1
    f()
np.fromiter(gen(), dtype=int)
