# source: own: the façade of the gates as a gadget
f = open('/a.txt'); b = open('/a.txt', 'rb+')
for o in (f, b):
    for n in ('buffer', 'raw', 'detach', 'reconfigure', '_inner', '_mode', 'peek', 'getbuffer', '__dict__', '__slots__', '__weakref__'):
        leak(getattr(o, n, None))
