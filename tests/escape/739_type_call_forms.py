# source: own: the stand-in for type, asked in every way
class A: pass
T = type
for f in (lambda: T(T), lambda: T(T(T)), lambda: type(A).__call__(A), lambda: T.__new__(T), lambda: T.__call__, lambda: T.__init__, lambda: T.mro(), lambda: T.mro(A), lambda: T("X", (T,), {}), lambda: T("X", (), {"__class__": T}), lambda: T.__class__, lambda: T.__or__(int), lambda: T[int], lambda: isinstance(A, T) and T, lambda: [k for k in A.mro()], lambda: T.__subclasses__(A), lambda: T.__dict__, lambda: T.__prepare__, lambda: T.__instancecheck__(A), lambda: T.__getitem__, lambda: T.__init_subclass__(), lambda: A.__class__.mro(A), lambda: T(A).mro(A), lambda: int.mro.__self__, lambda: A.__class__("Y", (), {}), lambda: super(T, T).mro, lambda: type("Z", (type(A),), {})):
    try: leak(f())
    except Exception: pass
