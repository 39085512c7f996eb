# source: own: full-width letters in names given at run time
import types, operator, functools, json
W = lambda s: "".join(chr(ord(c) + 0xFEE0) if c.isalpha() else c for c in s)
targets = (lambda: 0, (x for x in [1]), json, json.dumps, "{0.__class__}")
for name in ("gi_frame", "__globals__", "format", "__code__", "gi_code", "tb_frame", "__subclasses__", "__builtins__"):
    for spell in (W(name), name.replace("_", "\uff3f"), name.replace("f", "\uff46")):
        for t in targets:
            for f in (lambda: getattr(t, spell), lambda: operator.attrgetter(spell)(t), lambda: ("{0.%s}" % spell).format(t), lambda: operator.methodcaller(spell)(t), lambda: hasattr(t, spell) and leak(1)):
                try: leak(f())
                except Exception: pass
        try: type("X", (), {spell: 1}); setattr(types.SimpleNamespace(), spell, 1)
        except Exception: pass
ｇ = (x for x in [1])
try: leak(eval if False else ｇ)
except Exception: pass
