# source: own: the façade of the gates as a gadget
import os
class P:
    pass
setattr(P, '__fspath__', lambda self: './results/flag.txt')
leak(open(P()).read())
leak(os.fspath(P()))
