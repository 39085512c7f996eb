# the wrong kind of value is refused
t, b = open(ROOT + "/v.txt", "w"), open(ROOT + "/v.bin", "wb")
for file, value in ((t, b"x"), (t, 5), (t, None), (b, "x"), (b, 5)):
    try: file.write(value)
    except TypeError as e: print(type(e).__name__)
print(t.write(""), b.write(bytearray(b"ab")), b.write(memoryview(b"cd")), b.writelines([b"x", b"y"]), t.writelines(["q", "r"]))
for file in (t, b):
    try: file.read()
    except OSError as e: print(type(e).__name__, e)
try: open(ROOT + "/lines.txt").write("x")
except OSError as e: print(type(e).__name__, e)
