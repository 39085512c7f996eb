# source: own
try:
    1 / 0
except ZeroDivisionError as e:
    e2 = e.with_traceback(None)
    for x in (e, e2, e.__context__):
        leak(getattr(x, '__traceback__', None))
import traceback, sys
leak(sys.exc_info())
leak(getattr(traceback, 'walk_tb', None))
