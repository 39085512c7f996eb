# the wrong arguments are refused
for a, k in (((), {"mode": "q"}), ((), {"mode": ""}), ((), {"mode": "rw"}), ((), {"mode": "rbt"}), ((), {"mode": "rr"}),
             ((), {"mode": "rb", "encoding": "utf-8"}), ((), {"mode": "rb", "newline": ""}), ((), {"mode": "rb", "errors": "x"}),
             ((), {"buffering": 0}), ((), {"newline": "x"}), ((), {"encoding": "no-such"})):
    try: open(ROOT + "/lines.txt", *a, **k)
    except (ValueError, LookupError) as e: print(type(e).__name__, e)
for path in ("\0", None, 1.5, [], ""):
    try: open(path)
    except (ValueError, TypeError, OSError) as e: print(type(e).__name__)
