# source: own: the façade of the gates as a gadget
import requests, httpx
import requests.exceptions
for m in (requests, httpx, requests.exceptions, requests.codes):
    for n in ('sessions', 'packages', 'adapters', 'utils', 'compat', 'urllib3', 'sys', 'os', 'ssl', 'socket', '_api', '_client', 'Transport', '__dict__', '__builtins__', 'HTTPStatus', 'response', 'fetch', 'gate'):
        leak(getattr(m, n, None))
