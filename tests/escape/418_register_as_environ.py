# source: own: the façade of the gates as a gadget
import os
class Evil:
    def __init__(self): self._values = self; self._entries = self
    def __getattr__(self, name):
        if name.startswith('_'):
            leak('poison: ' + name)
        return lambda *a: leak(a)
E, H = type(os.environ), type(fetch('http://a/').headers)
for C in (E, H):
    C.register(Evil)
    for n in ('__getitem__', '__iter__', '__len__', 'copy', 'keys', 'items', 'get', '__contains__', '__eq__', '__repr__'):
        try:
            leak(getattr(C, n)(Evil(), 'A') if n in ('__getitem__', 'get', '__contains__', '__eq__') else getattr(C, n)(Evil()))
        except Exception as e:
            leak(e)
