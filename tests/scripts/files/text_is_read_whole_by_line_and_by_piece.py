# text is read whole, by line, and by piece
f = open(ROOT + "/lines.txt")
print(repr(f.read(5)), repr(f.readline()), repr(f.readline(2)), f.readlines(), repr(f.read()), repr(f.readline()))
f.close(); f.close()
print(f.closed, f.mode, f.encoding, f.errors, f.name == ROOT + "/lines.txt")
for number, line in enumerate(open(ROOT + "/lines.txt")): print(number, repr(line))
