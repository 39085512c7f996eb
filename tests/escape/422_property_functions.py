# source: own: the façade of the gates as a gadget
from pathlib import Path
import os, requests
for C in (type(open('/a.txt')), type(fetch('http://a/')), Path, type(os.stat('/a.txt'))):
    for n in dir(C):
        try:
            p = getattr(C, n)
        except Exception:
            continue
        for m in ('fget', 'fset', '__get__', '__func__', '__wrapped__', '__globals__', '__closure__', '__defaults__', '__kwdefaults__', '__code__', '__self__'):
            x = getattr(p, m, None)
            leak(x)
            leak(getattr(x, '__globals__', None))
