# source: own
import array
import numpy as np
things = [np.arange(3), np.dtype(float), np.add, np.float32(1), np.True_, np.random.default_rng(0), np.random.RandomState(0),
          np.arange(3).flat, np.vectorize(abs), np.poly1d([1]), np.random.PCG64(1), np.random.SeedSequence(1)]
names = ('_data _dtype _shape _strides _offset _row _value _loops _box _type _bits _draws _twister _pool _array _function '
         '_coefficients _state _kept __slots__ __getstate__ __reduce__ __dict__ __weakref__').split()
for thing in things:
    for name in names:
        for owner in (thing, type(thing)):
            try:
                found = getattr(owner, name)
            except BaseException:
                continue
            if isinstance(found, array.array):
                leak('memory: a live buffer')
            leak(found)
    try:
        leak(vars(thing))
    except BaseException:
        pass
