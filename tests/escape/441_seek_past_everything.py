# source: own: the façade of the gates as a gadget
f = open('/a.bin', 'rb+')
for attempt in (lambda: f.seek(1 << 200), lambda: f.seek(-1), lambda: f.seek(1 << 62) and f.write(b'x'), lambda: f.truncate(1 << 62), lambda: f.truncate(-5),
                lambda: f.seek(0, 9), lambda: f.seek(0, -1), lambda: f.read(1 << 62), lambda: f.read(-(1 << 70)), lambda: open('/a.bin', 'rb', 1 << 40).read(1)):
    try:
        leak(attempt())
    except Exception as e:
        leak(type(e)); leak(getattr(e, '__traceback__', None))
