# source: own
import numpy as np
class G(np.random.Generator):
    def _order(self, count):
        leak(self._bits)
        return [10**9] * count
    @property
    def _bits(self):
        return self
    @_bits.setter
    def _bits(self, value):
        leak(value)
try:
    g = G(np.random.PCG64(1))
    a = np.arange(3)
    g.shuffle(a)
    leak('memory: ' + repr(a[0])) if a[0] > 2 else None
except BaseException:
    pass
