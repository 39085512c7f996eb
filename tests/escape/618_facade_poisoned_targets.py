# source: own
import numpy as np
try:
    for np.pi in [3]:
        pass
    leak('poison: for')
except BaseException:
    pass
try:
    [0 for np.e in [1]]
    leak('poison: comprehension')
except BaseException:
    pass
try:
    np.inf, np.nan = 1, 2
    leak('poison: unpacked')
except BaseException:
    pass
try:
    del np.array
    leak('poison: deleted')
except BaseException:
    pass
try:
    np.linalg.inv = leak
    leak('poison: submodule')
except BaseException:
    pass
