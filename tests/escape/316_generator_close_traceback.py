# source: own: a traceback seen while a generator is closed
got = []
class C:
    def __enter__(self): return self
    def __exit__(self, t, v, tb):
        got.append(tb)
        return False
def g():
    with C():
        yield
it = g(); next(it); it.close()
for tb in got:
    leak(getattr(tb, 'tb_next', None))
    leak(getattr(tb, 'tb_frame', None))
