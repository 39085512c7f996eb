def f(_a, *, _b=2, **_kw):
    return _a + _b, sorted(_kw.items())
print(f(1, _b=3, _c=4), f(**{"_a": 1}))
print(dict(_id=5)["_id"], dict(_id=5))
from collections import Counter
print(Counter(_x=2))
print("{_name}".format(_name="n"), "{0[_k]}".format({"_k": 1}))
_G = 10
class A:
    _G2 = _G + 1
    y = _G
    __p = 3
    q = __p * 2
    vals = [_G for _ in range(2)]
    def get(self): return self.__p, _G, self._G2
print(A.y, A._G2, A.q, A.vals, A().get(), A._A__p)
_x, (_y, *_z) = 1, (2, 3, 4)
print(_x, _y, _z)
for _i, _j in [(1, 2)]:
    print(_i + _j)
def outer():
    _n = 0
    def inc():
        nonlocal _n
        _n += 1
        return _n
    return inc
i = outer(); i(); print(i())
try:
    1/0
except ZeroDivisionError as _e:
    print(_e)
