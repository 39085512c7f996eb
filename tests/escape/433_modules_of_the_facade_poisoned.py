# source: own: the façade of the gates as a gadget
import requests, os, pathlib, io
for m, n in ((requests, 'get'), (os, 'listdir'), (os.path, 'exists'), (pathlib, 'Path'), (io, 'open'), (requests.codes, 'ok')):
    try:
        setattr(m, n, lambda *a: 'poison')
        leak('poison')
    except (TypeError, AttributeError):
        pass
for os.sep in ('poison',):
    pass
leak(os.sep)
