# source: own: the façade of the gates as a gadget
try:
    open('/missing')
except OSError as e:
    for x in (e, e.__context__, e.__cause__):
        for n in ('_record', 'record', 'code', 'hint', '__traceback__', 'tb_frame', 'with_traceback'):
            v = getattr(x, n, None)
            leak(v)
            leak(getattr(v, '__globals__', None)); leak(getattr(v, '__self__', None)); leak(getattr(v, '__struct_config__', None))
