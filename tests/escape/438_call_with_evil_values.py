# source: own: the façade of the gates as a gadget
class V:
    def __index__(self): leak('index'); return 1 << 70
    def __iter__(self): return iter([V()])
    def __len__(self): return 1 << 60
    def __getattr__(self, name):
        if name.startswith('_'):
            leak('poison: ' + name)
        raise AttributeError(name)
for args in ((V(), V()), ([V()], 1), ((lambda: 0), 1), (open, fetch)):
    try:
        leak(call('tensor.add', *args))
    except BaseException as e:
        leak(e)
try:
    leak(call('kernel.k', x=V(), y=open, workgroups=V()))
except Exception as e:
    leak(e)
