# source: own: caches of the library compare their keys with the script's
import re, typing, urllib.parse, decimal, datetime, string
class K(str):
    def __eq__(self, o): leak(o); return True
    def __hash__(self): return hash("a")
class B(bytes):
    def __eq__(self, o): leak(o); return True
    def __hash__(self): return hash(b"a")
class T:
    def __eq__(self, o): leak(o); return True
    def __hash__(self): return hash(int)
for f in (lambda: re.compile(K("a")), lambda: re.sub(K("a"), K("b"), "a"), lambda: typing.List[T()], lambda: typing.Union[T(), int], lambda: typing.Optional[T()], lambda: urllib.parse.quote("x", safe=K("a")), lambda: urllib.parse.urlsplit(K("http://a")), lambda: datetime.datetime.strptime("1", K("%d")), lambda: {T(): 1}[int], lambda: typing.Literal[T()], lambda: {K("a"): 1} | {"a": 2}, lambda: setattr(T(), K("a"), 1), lambda: getattr(T(), K("a")), lambda: typing.Dict[T(), T()], lambda: __name__ in {K("a")}):
    try: leak(f())
    except Exception: pass
leak("poison: re cache" if re.compile("zzz").pattern != "zzz" else None)
