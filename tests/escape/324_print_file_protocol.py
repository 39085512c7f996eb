# source: own: print to an object whose write is a raw method
class F:
    pass
f = F()
f.write = '{0.__globals__}'.format
print(lambda: 0, file=f)
leak(f.write)
