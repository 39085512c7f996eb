# source: own: the façade of the gates as a gadget
import os
from pathlib import Path
r = fetch('http://a/')
for g in (os.walk('/'), r.iter_bytes(1), r.iter_lines(), r.iter_text(), Path('/').iterdir(), Path('/').glob('*'), iter(open('/a.txt')), iter(os.environ), iter(r.headers)):
    for n in ('gi_frame', 'gi_code', 'gi_yieldfrom', '__reduce__', '__setstate__', '__self__', '__length_hint__'):
        leak(getattr(g, n, None))
