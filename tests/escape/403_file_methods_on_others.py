# source: own: the façade of the gates as a gadget
class Fake:
    def __init__(self):
        self._inner = self
        self._name = 'poison'
        self._mode = '{0.__globals__}'.format
    def __getattr__(self, name):
        leak(name)
        if name.startswith('_'):
            leak('poison: a private name reached the hook')
        return lambda *a: leak(a)
F = type(open('/a.txt'))
for n in ('read', 'write', 'close', 'readlines', 'seek', 'fileno', '__iter__', '__next__', '__enter__', '__exit__', '__repr__'):
    try:
        leak(getattr(F, n)(Fake()))
    except Exception as e:
        leak(e)
