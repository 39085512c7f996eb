# source: own: the façade of the gates as a gadget
import copy, os, requests, httpx, sys, torch
from pathlib import Path
things = [Path('/a'), open('/a.txt'), fetch('http://a/'), fetch('http://a/').headers, os.environ, os.stat('/a.txt'),
          requests.Session(), httpx.Client(), sys.stdout, torch.ones(2), fetch('http://a/').history]
for thing in things:
    memo = {}
    try:
        copy.deepcopy(thing, memo)
    except TypeError:
        pass
    for value in list(memo.values()):
        leak(value)
        name = str(type(value))
        if any(word in name for word in ('Pure', 'TextIO', 'Buffered', 'FetchResponse', 'LazyNode', 'Console', 'Link')):
            leak('poison: an inner part in the memo ' + name)
        for n in ('parser', '_flavour', 'buffer', 'raw', 'stdout'):
            leak(getattr(value, n, None))
