# writing and reading the same file
with open(ROOT + "/u.bin", "w+b") as f:
    print(f.write(b"0123456789"), f.tell(), f.seek(3), f.write(b"xy"), f.seek(0), f.read(), f.tell())
    print(f.seek(-2, 2), f.read(), f.seek(0), f.seek(2, 1), f.read(2))
    f.seek(20); f.write(b"far"); f.seek(0); print(f.read())
    print(f.truncate(5), f.seek(0), f.read(), f.truncate(8), f.seek(0), f.read())
with open(ROOT + "/u.bin", "r+b") as f:
    f.seek(2); f.write(b"--"); f.seek(0, 2); f.write(b"end")
print(open(ROOT + "/u.bin", "rb").read())
with open(ROOT + "/u.bin", "a+b") as f:
    print(f.tell()); f.seek(0); print(f.read(3)); f.write(b"!"); f.seek(0); print(f.read())
