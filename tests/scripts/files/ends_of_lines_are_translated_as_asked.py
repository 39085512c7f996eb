# ends of lines are translated as asked
for newline in (None, "", "\n", "\r", "\r\n"):
    with open(ROOT + "/lines.txt", newline=newline) as f: print(repr(f.read()), f.newlines)
    with open(ROOT + "/out.txt", "w", newline=newline) as f: f.write("a\nb\r\nc\r")
    print(open(ROOT + "/out.txt", "rb").read())
