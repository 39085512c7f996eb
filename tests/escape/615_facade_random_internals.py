# source: own
import numpy as np
rng, old = np.random.default_rng(0), np.random.RandomState(0)
for thing in (rng, old, rng.bit_generator, rng.bit_generator.seed_seq, np.random, np.random.seed, np.random.rand, rng.normal):
    for name in ('ctypes cffi capsule state lock _bits _draws _twister _seeds __closure__ __self__ __func__ __getstate__ get_state set_state '
                 'get_bit_generator _bit_generator _rand mtrand random_raw jumped').split():
        try:
            found = getattr(thing, name)
            leak(found)
            leak(found())
        except BaseException:
            pass
try:
    np.random.RandomState.__init__(rng, 5)
    np.random.Generator.__init__(object.__new__(np.random.Generator), type('B', (), {'_next64': lambda self: leak})())
except BaseException:
    pass
for seed in (rng, type('S', (), {'__index__': lambda self: 10**6})(), [1] * 10, type('S', (), {'words': lambda self, n: leak})()):
    try:
        leak(np.random.default_rng(seed).random())
    except BaseException:
        pass
