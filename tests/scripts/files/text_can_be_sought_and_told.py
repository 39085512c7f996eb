# text can be sought and told
with open(ROOT + "/t.txt", "w+", encoding="utf-8") as f:
    f.write("äöü\nline\n"); p = f.tell(); f.write("last"); f.seek(p); print(f.read(), f.seek(0), f.readline(), f.tell())
    try: f.seek(1, 1)
    except OSError as e: print(type(e).__name__, e)
    f.seek(0); f.truncate(); f.write("new"); f.seek(0); print(f.read())
