# source: own: the façade of the gates as a gadget
import os, sys
class E(Exception):
    pass
g = os.walk('/')
next(g)
try:
    g.throw(E('x'))
except E as e:
    leak(getattr(e, '__traceback__', None))
    leak(sys.exc_info()[2])
