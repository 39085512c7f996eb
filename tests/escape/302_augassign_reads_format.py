# source: own: an augmented assignment reads its target natively
got = []
class R:
    def __radd__(self, other):
        got.append(other)
        return other
class S(str): pass
s = S('{0.__globals__}')
s.format += R()
leak(got[0])
leak(got[0](lambda: 0))
