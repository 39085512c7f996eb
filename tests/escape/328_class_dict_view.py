# source: own: the view of a class's own dict
got = []
class Evil:
    def __eq__(self, o): got.append(o); return True
class A: pass
A.__dict__ == Evil()
got[0]['__getattribute__'] = lambda s, n: 'poison'
leak(A().x if hasattr(A(), 'x') else None)
