# source: own: a context manager's generator and function
import contextlib
@contextlib.contextmanager
def cm():
    yield 1
c = cm()
leak(getattr(c.gen, 'gi_' + 'frame', None))
leak(getattr(c.func, '__glo' + 'bals__', None))
