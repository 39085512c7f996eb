# source: own: the façade of the gates as a gadget
import array
f = open('/a.bin', 'wb+')
a = array.array('d', [1.0] * 4); v = memoryview(bytearray(64)); b = bytearray(8)
f.write(a); f.write(v[::2]); f.write(v.cast('Q'))
f.seek(0)
class T:
    def __len__(self): return 1 << 62
    def __setitem__(self, k, x): leak(k); leak(x)
for target in (b, v, T(), a):
    try:
        leak(f.readinto(target))
    except Exception as e:
        leak(e)
v.release()
for n in ('obj', 'tobytes', 'toreadonly'):
    try:
        leak(getattr(v, n, None))
    except ValueError:
        pass
