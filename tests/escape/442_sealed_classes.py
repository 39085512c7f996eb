# source: own: the façade of the gates as a gadget
import requests, httpx, os
from pathlib import Path
r = fetch('http://a/')
for C in (type(r), type(r.headers), Path, type(open('/a.txt')), type(os.environ), type(os.stat('/a.txt')), requests.Session, httpx.Client):
    try:
        X = type('X', (C,), {'__init__': lambda self: None})
        leak('poison: a subclass of ' + C.__name__)
    except TypeError:
        pass
