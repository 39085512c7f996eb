# source: own: descriptors of the function type
F = type(lambda: 0)
for n in ('__code__', '__globals__', '__closure__'):
    d = getattr(F, n, None)
    leak(d)
    if d is not None:
        leak(d.__get__(lambda: 0))
