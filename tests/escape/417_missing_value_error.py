# source: own: the façade of the gates as a gadget
import os
try:
    os.environ['NOT_THERE']
except KeyError as e:
    for n in ('__traceback__', '__cause__', '__context__', 'with_traceback', '__reduce__', '__setstate__', 'args', '__class__', '__dict__'):
        leak(getattr(e, n, None))
    K = type(e)
    leak(K.__init__)
    leak(K('{0.__class__}').__str__())
