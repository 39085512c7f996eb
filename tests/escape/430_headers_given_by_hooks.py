# source: own: the façade of the gates as a gadget
seen = []
class G:
    def __getattr__(self, name):
        if name.startswith('_'):
            leak('poison: ' + name)
        seen.append(name)
        if name in ('items', 'read', 'keys'):
            return lambda *a: [('a', 'b')] if name == 'items' else b''
        raise AttributeError(name)
class S(str):
    def lower(self): leak(self); return 'poison'
    def encode(self, *a): leak(a); return b''
    def __str__(self): return S('poison')
    def __format__(self, spec): return '{0.__globals__}'
for k in ({'headers': G()}, {'params': G()}, {'data': G()}, {'json': G()}, {'headers': {S('a'): S('b')}}, {'auth': (S('{0.__class__}'), S('x'))}, {'auth': G()}, {'timeout': G()}, {'params': S('x')}):
    try:
        leak(fetch(S('http://a/'), S('get'), **k).text)
    except Exception as e:
        leak(e)
