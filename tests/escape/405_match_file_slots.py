# source: own: the façade of the gates as a gadget
import requests
for o in (open('/a.txt'), fetch('http://a/'), requests.Session()):
    match o:
        case object(_inner=x) | object(_answer=x) | object(_options=x):
            leak('poison: a private slot matched')
            leak(x)
