# source: own: the façade of the gates as a gadget
from pathlib import Path
import os, requests
things = (open('/a.txt'), fetch('http://a/'), Path('/a'), os.environ, os.stat('/a.txt'), requests.Session(), fetch, call)
for t in things:
    for path in ('_inner', '_answer', '_pure', '_values', '__class__.__init__.__globals__', '__init__.__func__', 'read.__self__', '__globals__', '_options'):
        for f in (lambda: ('{0.' + path + '}').format(t), lambda: str.format_map('{x.' + path + '}', {'x': t}), lambda: f'{t:{path}}', lambda: '%s' % (t,)):
            try:
                leak(f())
            except Exception:
                pass
