# errors are CPython's
import os
for action in (lambda: open(ROOT + "/none"), lambda: open(ROOT + "/sub"), lambda: open(ROOT + "/lines.txt/x"), lambda: open(ROOT + "/none/x", "w"),
               lambda: os.listdir(ROOT + "/none"), lambda: os.listdir(ROOT + "/lines.txt"), lambda: os.mkdir(ROOT + "/sub"), lambda: os.mkdir(ROOT + "/a/b"),
               lambda: os.rmdir(ROOT + "/sub"), lambda: os.rmdir(ROOT + "/lines.txt"), lambda: os.rmdir(ROOT + "/none"), lambda: os.remove(ROOT + "/none"),
               lambda: os.remove(ROOT + "/sub"), lambda: os.stat(ROOT + "/none"), lambda: os.makedirs(ROOT + "/sub"), lambda: os.path.getsize(ROOT + "/none")):
    try: action(); print("nothing")
    except OSError as e: print(type(e).__name__, e.errno, e.strerror, e.filename.replace(ROOT, ""))
