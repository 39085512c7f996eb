# the library's own readers and writers
import json, csv, io, contextlib
with open(ROOT + "/d.json", "w") as f: json.dump({"a": [1, None]}, f, indent=1)
with open(ROOT + "/d.json") as f: print(json.load(f))
with open(ROOT + "/d.csv", "w", newline="") as f:
    w = csv.DictWriter(f, ["x", "y"]); w.writeheader(); w.writerow({"x": 1, "y": "a,b\nc"})
with open(ROOT + "/d.csv", newline="") as f: print(list(csv.DictReader(f)))
with open(ROOT + "/p.txt", "w") as f:
    print("one", 2, sep="-", file=f)
    with contextlib.redirect_stdout(f): print("redirected")
print(open(ROOT + "/p.txt").read(), io.open is open, io.open(ROOT + "/p.txt").readline())
b = bytearray(4)
with open(ROOT + "/bytes.bin", "rb") as f: print(f.readinto(b), b)
with open(ROOT + "/lines.txt") as a, open(ROOT + "/copy.txt", "w") as c: c.writelines(line.upper() for line in a)
print(sum(len(line) for line in open(ROOT + "/copy.txt")))
