# source: own: the façade of the gates as a gadget
F = type(open('/a.txt'))
class Mine(F):
    def read(self, size=-1):
        leak(self._inner)
        return 'poison'
leak(Mine)
