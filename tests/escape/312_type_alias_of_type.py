# source: own: typing.Type resolves to the real metaclass
import typing
class M(typing.Type[int]):
    pass
leak(M)
