# source: own: the façade of the gates as a gadget
import requests, httpx, os
from pathlib import Path
def evil(*a, **k):
    leak('poison: a method was replaced')
for C in (requests.Session, httpx.Client, type(fetch('http://a/')), type(open('/a.txt')), Path, type(os.environ), type(os.stat('/a.txt')), requests.RequestException):
    for n in ('get', 'read', 'json', 'exists', '__getitem__', '__init__', '__init_subclass__', 'st_size'):
        try:
            setattr(C, n, evil)
        except (TypeError, AttributeError):
            pass
requests.Session().get('http://a/'); fetch('http://a/').json(); open('/a.txt').read(); Path('/a.txt').exists(); os.environ['A']
