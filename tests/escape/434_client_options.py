# source: own: the façade of the gates as a gadget
import httpx
c = httpx.Client(base_url='http://a', headers={'A': 'b'})
for n in ('_options', '_base', '_transport', '_mounts', 'params', 'cookies', '_joined', 'build_request', 'send'):
    leak(getattr(c, n, None))
C = type(c)
class Fake:
    _base = 'poison'
    _options = {}
    headers = {}
for f in (C.get, C.request, C.close):
    try:
        leak(f(Fake(), 'http://a/') if f is not C.close else f(Fake()))
    except Exception as e:
        leak(e)
