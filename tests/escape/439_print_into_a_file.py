# source: own: the façade of the gates as a gadget
import json, csv, contextlib, pprint
class S(str):
    def __str__(self): return self
    def encode(self, *a): leak(a); return b'poison'
f = open('/a.txt', 'w')
print(S('{0.__globals__}'), file=f, sep=S(' '), end=S('\n'))
leak(f.write(S('x')))
json.dump({S('a'): S('b')}, f)
csv.writer(f).writerow([S('a'), f])
pprint.pprint({'f': f}, stream=f)
with contextlib.redirect_stdout(f):
    print('x')
f.writelines(iter([S('y')]))
for bad in (b'x', 5, None, [1], f, memoryview(b'x')):
    try:
        leak(f.write(bad))
    except TypeError:
        pass
