# text is written and read in its encoding
for encoding in ("utf-8", "utf-16", "latin-1", "ascii", "utf-8-sig", "cp1252"):
    for errors in ("strict", "replace", "ignore", "backslashreplace"):
        try:
            with open(ROOT + "/e.txt", "w", encoding=encoding, errors=errors) as f: print(f.write("aé€\n"))
            print(open(ROOT + "/e.txt", "rb").read(), repr(open(ROOT + "/e.txt", encoding=encoding).read()))
        except UnicodeError as e: print(type(e).__name__, e)
