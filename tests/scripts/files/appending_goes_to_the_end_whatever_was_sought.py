# appending goes to the end whatever was sought
for text in ("a", "b"):
    with open(ROOT + "/log.txt", "a") as f: f.write(text + "\n")
with open(ROOT + "/log.txt", "a+") as f:
    f.seek(0); f.write("c"); f.seek(0); print(repr(f.read()))
