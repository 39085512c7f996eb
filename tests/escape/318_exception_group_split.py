# source: own: the callback of split sees exceptions, whose tracebacks hold frames
def raiser():
    raise ValueError(1)
try:
    try:
        raiser()
    except ValueError as e:
        raise ExceptionGroup('g', [e])
except ExceptionGroup as eg:
    eg.split(lambda x: leak(getattr(x, '__traceback__', None)))
    eg.subgroup(lambda x: leak('{0.__traceback__.tb_frame}'.format(x)))
