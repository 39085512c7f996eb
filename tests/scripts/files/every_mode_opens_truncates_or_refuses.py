# every mode opens, truncates or refuses
import os
for mode in ("r", "w", "a", "x", "r+", "w+", "a+", "x+", "rb", "wb", "ab", "xb", "r+b", "rb+", "w+b", "a+b", "x+b", "rt"):
    for name in ("there.txt", "new.txt"):
        path = ROOT + "/" + name
        with open(ROOT + "/there.txt", "w") as f: f.write("content")
        if os.path.exists(ROOT + "/new.txt"): os.remove(ROOT + "/new.txt")
        try:
            with open(path, mode) as f:
                print(mode, name, f.readable(), f.writable(), f.seekable(), f.tell(), os.path.getsize(path))
        except OSError as e: print(mode, name, type(e).__name__, e.errno, e.strerror, e.filename == path)
