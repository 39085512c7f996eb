# source: own: the façade of the gates as a gadget
import requests
s = requests.Session()
for n in ('_x', 'get', '__class__', '__dict__', 'request', 'send', 'adapters', 'hooks', 'verify', 'proxies', 'trust_env'):
    try:
        setattr(s, n, lambda *a, **k: leak('poison'))
    except (AttributeError, TypeError):
        pass
s.get('http://a/')
class H(dict):
    def items(self):
        leak(self)
        return [('{0.__globals__}', lambda: 0)]
s.headers = H(); s.params = H(); s.auth = H()
try:
    leak(s.get('http://a/').text)
except Exception as e:
    leak(e)
