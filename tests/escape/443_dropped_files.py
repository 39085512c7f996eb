# source: own: the façade of the gates as a gadget
for _ in range(50):
    a = [open('/a.txt', 'w')]
    a.append(a)
    a[0].write('x')
    del a
leak(getattr(open('/a.txt'), '__del__', None))
F = type(open('/a.txt'))
for n in ('__del__', '__new__', '__reduce_ex__', '__copy__', '__deepcopy__', '__init_subclass__'):
    try:
        f = getattr(F, n)
        leak(f)
        leak(f(F)) if n == '__new__' else None
    except Exception:
        pass
leak(repr(F.__new__(F)) if hasattr(F, '__new__') else None)
