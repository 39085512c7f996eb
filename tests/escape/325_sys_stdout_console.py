# source: own
import sys
for n in dir(sys.stdout):
    leak(getattr(sys.stdout, n, None))
leak(sys.stdout._console)
