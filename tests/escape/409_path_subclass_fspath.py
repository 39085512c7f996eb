# source: own: the façade of the gates as a gadget
from pathlib import Path
class P(Path):
    def __fspath__(self):
        return './results/flag.txt'
leak(open(P('/a')).read())
