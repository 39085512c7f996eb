# source: own: no name of a guard can be spelled
def f(o, _getattr_=lambda o, n: 'shadowed', _write_=None, _match_=None):
    o.name = 1
    return o.__class__
class A: pass
leak(f(A()))
