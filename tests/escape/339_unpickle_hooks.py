# source: own: hooks of copying
import copy
class A:
    def __copy__(self): return leak(getattr(self.__class__, '__mro__', None)) or self
    def __deepcopy__(self, memo):
        leak(memo)
        return self
copy.deepcopy([A()])
