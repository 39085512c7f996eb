# source: own: the façade of the gates as a gadget
class Raw:
    closed = False
    def readable(self): return True
    def writable(self): return True
    def seekable(self): return True
    def readinto(self, view):
        self.view = view
        leak('MEMORY-READ-PROOF')
        return len(view)
f = open('/a.txt', 'rb')
g = type(f)(Raw(), 'x', 'rb', False)
leak(g.read(8))
