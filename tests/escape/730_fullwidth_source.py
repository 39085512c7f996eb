# source: own: full-width letters in the source
def f(): yield
g = f()
leak(g.ｇi_frame)
leak(f.__ｇlobals__)
