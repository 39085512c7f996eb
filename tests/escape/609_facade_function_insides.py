# source: own
import numpy as np
import numpy.linalg, numpy.random, numpy.testing, numpy.typing
names = ('__wrapped__ __globals__ __closure__ __code__ __defaults__ __kwdefaults__ __self__ __func__ __builtins__ __module__ cache_info '
         'cache_parameters cache_clear fget func gen args __annotations__ __type_params__').split()
for space in (np, np.linalg, np.random, np.testing, np.typing):
    for key in dir(space):
        value = getattr(space, key)
        for name in names:
            try:
                found = getattr(value, name)
            except BaseException:
                continue
            leak(found)
            if name in ('cache_parameters',):
                leak(found())
