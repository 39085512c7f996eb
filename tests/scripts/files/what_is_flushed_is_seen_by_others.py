# what is flushed is seen by others, what is not is not
f = open(ROOT + "/f.txt", "w"); f.write("abc")
print(repr(open(ROOT + "/f.txt").read())); f.flush(); print(repr(open(ROOT + "/f.txt").read()))
g = open(ROOT + "/g.txt", "w", buffering=1); g.write("line\nrest"); print(repr(open(ROOT + "/g.txt").read()))
h = open(ROOT + "/h.bin", "wb", buffering=0); h.write(b"now"); print(open(ROOT + "/h.bin", "rb").read())
