# source: own
import numpy as np
leak(np)
for way in ('__loader__', '__spec__', '__file__', '__path__', '__builtins__', '__dict__', 'core', '_core', 'lib', 'sys', 'os', 'ctypeslib',
            'namespace', 'methods', 'array.Buffer', 'compat', 'testing', 'f2py', 'distutils', 'random', 'linalg', 'math', 'operator'):
    found = np
    try:
        for part in way.split('.'):
            found = getattr(found, part)
        leak(found)
        leak(found.sys)
    except BaseException:
        pass
try:
    from numpy import namespace as n
    leak(n)
except BaseException:
    pass
try:
    import numpy.core.multiarray as m
    leak(m)
except BaseException:
    pass
try:
    import sandbox.library.numpy as real
    leak(real)
except BaseException:
    pass
for key in dir(np):
    leak(getattr(np, key))
    leak(getattr(np, key).__class__)
