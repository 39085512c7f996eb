# source: own: a functional TypedDict takes any key, also private ones
import asyncio, dataclasses, typing
X = typing.TypedDict("X", {"_loop": int, "_get_loop": int})
dataclasses.dataclass(X)
leak("shadowed: private field names" if any(f.name == "_loop" for f in dataclasses.fields(X)) else None)
