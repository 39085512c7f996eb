# source: own
import numpy as np
got = []
for base in ('ndarray', 'generic', 'dtype', 'ufunc', 'float64', 'int64', 'bool_', 'flatiter', 'vectorize', 'errstate', 'poly1d', 'number'):
    try:
        class Sub(getattr(np, base)):
            def __getattr__(self, name):
                got.append(name)
        got.append(Sub)
    except BaseException:
        continue
    leak('poison: derived from ' + base)
