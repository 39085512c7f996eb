# source: own: __match_args__ that names a frame
class A:
    __match_args__ = ('gi_frame', '__class__', '__globals__')
import abc
class B(abc.ABC):
    __match_args__ = ('gi_frame',)
g = (x for x in ())
B.register(type(g))
match g:
    case B(f): leak(f)
