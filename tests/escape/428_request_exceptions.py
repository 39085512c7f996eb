# source: own: the façade of the gates as a gadget
import requests, sys
class Mine(requests.RequestException):
    def __init__(self, *a, **k):
        super().__init__(*a, **k)
        leak(getattr(self, '_record', None))
try:
    r = fetch('http://missing/')
    r.raise_for_status()
except requests.HTTPError as e:
    for n in ('__traceback__', '_record', 'response', 'request', '__context__', '__cause__', 'record', 'characters_written'):
        leak(getattr(e, n, None))
    e.response = '{0.__globals__}'.format
    leak(e.response)
leak(Mine('x'))
leak(requests.RequestException.__init__)
