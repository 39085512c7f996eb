# source: own: typing hands out the real type
import typing
for k in (type | int, typing.Union[type, str], typing.Type[int], typing.Type, typing.Optional[type], typing.Callable[[type], type], typing.List[type | int], typing.Annotated[type | int, type], typing.Tuple[type, ...], typing.ClassVar[type], typing.Dict[str, type]):
    def walk(x, n=0):
        leak(x)
        if n > 4: return
        leak(typing.get_origin(x))
        for a in typing.get_args(x):
            walk(a, n + 1)
            if isinstance(a, list):
                for b in a: walk(b, n + 1)
    walk(k)
