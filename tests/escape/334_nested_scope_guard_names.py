# source: own: no name of a guard can be spelled
for name in ('_getattr_', '_write_', '\u01c0getattr', '\u01c0write'):
    try:
        leak(getattr(__builtins__, name))
    except BaseException:
        pass
