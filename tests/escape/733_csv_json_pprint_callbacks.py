# source: own: objects that the library hands to callbacks
import json, pprint, csv, re, string, textwrap, difflib, heapq, functools, itertools, io, copy
got = []
def spy(*a, **k):
    got.extend(a); got.extend(k.values()); return a[0] if a else None
class D(dict):
    def items(self): got.append(self); return super().items()
    def __getitem__(self, k): got.append(k); return super().get(k)
class PP(pprint.PrettyPrinter):
    def format(self, o, context, maxlevels, level): spy(o, context, maxlevels, level); return super().format(o, context, maxlevels, level)
class E(json.JSONEncoder):
    def default(self, o): spy(self, o); return 1
    def iterencode(self, o, _one_shot=False): spy(self, o); return super().iterencode(o, _one_shot)
class W(textwrap.TextWrapper):
    wordsep_re = wordsep_simple_re = type("R", (), {"split": lambda self, *a: spy(*a) and [] or []})()
class T(string.Template):
    pattern = None
class St:
    def write(self, s): spy(self, s)
for f in (lambda: json.dumps({"a": {1}}, cls=E), lambda: json.loads('{"a": [1.5, NaN]}', object_hook=spy, parse_float=spy, parse_int=spy, parse_constant=spy), lambda: json.loads("{}", cls=lambda **k: spy(k) or json.JSONDecoder(**k)), lambda: PP(stream=St()).pprint([{"a": {1}}]), lambda: W().wrap("a b c"), lambda: re.sub("a", spy, "aaa"), lambda: difflib.SequenceMatcher(spy, "abc", "abd").ratio(), lambda: list(difflib.ndiff(["a"], ["b"], linejunk=spy, charjunk=spy)), lambda: csv.DictWriter(St(), ["a"]).writerow(D(a=1)), lambda: sorted([2, 1], key=functools.cmp_to_key(lambda a, b: spy(a, b) and 0)), lambda: string.Template("$a ${b}").substitute(D(a=1, b=2)), lambda: copy.copy(E()), lambda: pprint.pformat(D(a=1)), lambda: io.StringIO(initial_value="x", newline=spy)):
    try: leak(f())
    except Exception: pass
for v in got:
    leak(v)
    for n in ("keys", "values", "gi_frame", "scan_once", "parse_object"):
        try: leak(getattr(v, n)); [leak(x) for x in getattr(v, n)()]
        except Exception: pass
