import traceback, sys
class AppError(Exception):
    code = 5
    def __init__(self, msg, *, extra=None):
        super().__init__(msg)
        self.extra = extra
    def __str__(self):
        return f"[{self.code}] {self.args[0]} {self.extra}"
try:
    try:
        raise AppError("bad", extra={"k": 1})
    except AppError as e:
        raise RuntimeError("outer") from e
except RuntimeError as e:
    print(e, "|", e.__cause__, type(e.__cause__).__name__, e.__context__ is e.__cause__)
def f():
    try:
        return "try"
    finally:
        print("finally")
print(f())
try:
    raise ExceptionGroup("g", [ValueError("a"), TypeError("b"), ExceptionGroup("h", [KeyError("c")])])
except* ValueError as eg:
    print("V", eg.exceptions)
except* (TypeError, KeyError) as eg:
    print("T", len(eg.exceptions))
e = ValueError("n"); e.add_note("note"); print(e.__notes__)
try:
    [][3]
except (IndexError, KeyError) as ex:
    print(type(ex), ex.args)
try:
    int("x")
except ValueError:
    print(sys.exc_info()[0].__name__)
for i in range(3):
    try:
        if i == 1: continue
        if i == 2: break
    finally:
        print("fin", i)
else:
    print("never")
try:
    assert 1 == 2, "math"
except AssertionError as a:
    print("assert", a)
class Retry:
    def __init__(self, n): self.n = n
    def __call__(self, fn):
        def w(*a):
            for k in range(self.n):
                try: return fn(*a, k)
                except ValueError as err: last = err
            raise last
        return w
@Retry(3)
def flaky(x, k):
    if k < 2: raise ValueError(k)
    return x
print(flaky("ok"))
def un():
    print(undefined_name)
try: un()
except NameError as ne: print(ne, ne.name)
try: None.foo
except AttributeError as ae: print(ae, ae.name)
