# source: own
import numpy as np
for call in (lambda: np.zeros(2**62), lambda: np.zeros((2**40, 2**40, 0)), lambda: np.eye(10**6), lambda: np.arange(10**12), lambda: np.linspace(0, 1, 10**10),
             lambda: np.ones((10**5, 1)) * np.ones(10**5), lambda: np.tile(np.ones(1000), 10**9), lambda: np.repeat(1, 10**12), lambda: np.broadcast_to(1, (10**6, 10**6)),
             lambda: np.random.rand(10**10), lambda: np.random.default_rng(0).permutation(10**12), lambda: np.pad([1], 10**10, mode='edge'),
             lambda: np.outer(np.ones(10**5), np.ones(10**5)), lambda: np.zeros((1,) * 1000), lambda: np.indices((10**5, 10**5)), lambda: np.meshgrid(np.ones(10**5), np.ones(10**5)),
             lambda: np.bincount([10**15]), lambda: np.vander(np.ones(10**4), 10**6), lambda: np.lib.stride_tricks.sliding_window_view(np.ones(10**5), 5 * 10**4)):
    try:
        found = call()
    except (MemoryError, ValueError):
        continue
    leak('memory: allocated ' + repr(found.shape))
