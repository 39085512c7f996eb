# source: own: field names of a functional TypedDict are pasted into source by dataclass
import dataclasses, typing
X = typing.TypedDict('X', {'a=leak(__import__("os"))': int})
dataclasses.dataclass(X)
