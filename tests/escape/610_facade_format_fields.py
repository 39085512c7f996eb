# source: own
import numpy as np
a = np.arange(3)
for thing in (a, np.float64(1), np.int64(1), np.add, np.dtype(int), np.random.default_rng(0), np):
    for spec in ('{0._data}', '{0.__class__}', '{0.__class__.__init__.__globals__}', '{0.__init__.__globals__}', '{0._bits._twister}',
                 '{0._loops}', '{0.__dict__}', '{0.__globals__}', '{0.random.seed.__closure__}', '{0.tolist.__self__.__class__.__subclasses__}'):
        try:
            leak(spec.format(thing))
        except BaseException:
            pass
try:
    leak(format(a, '{0.__class__}'))
except BaseException:
    pass
