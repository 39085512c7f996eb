# a closed file says so
f = open(ROOT + "/lines.txt"); f.close()
for action in (f.read, f.readline, lambda: f.write("x"), lambda: next(f), lambda: iter(f), f.__enter__, f.tell, f.flush, f.readable):
    try: action(); print("nothing")
    except ValueError as e: print(e)
