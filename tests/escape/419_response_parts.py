# source: own: the façade of the gates as a gadget
r = fetch('http://a/')
for n in ('_answer', '_seconds', '_content', 'raw', 'connection', 'request', '__dict__', '__attrs__', '__getstate__', '__setstate__', 'extensions', 'stream', 'next'):
    leak(getattr(r, n, None))
r.encoding = 'poison'
try:
    r._answer = 1
    leak('poison: a slot was set' if r.status_code == 1 else None)
except (AttributeError, TypeError):
    pass
for n in ('url', 'text', 'status_code', 'json', '__class__', 'raise_for_status'):
    try:
        setattr(r, n, 'poison')
        leak(getattr(r, n))
    except (AttributeError, TypeError):
        pass
