# source: own
import copy, math
for v in (copy.copy(math), copy.deepcopy(math)):
    leak(v)
    leak(getattr(v, '__dict__', None))
