import collections
import dataclasses
import inspect
import json
import pathlib
import pickle
import threading
import traceback
from typing import Any


@dataclasses.dataclass
class Point:
    x: int
    _y: "int | None" = None


class Meta(type):
    def __new__(mcls, name, bases, space, **extra):
        return super().__new__(mcls, name, bases, {**space, "made_by": mcls.__name__})


class Made(metaclass=Meta):
    pass


def annotated(n: int, *rest: Any) -> list[int]:
    """Doc."""
    return [n]


print(pickle.loads(pickle.dumps(Point(1, 2))), Made.made_by, inspect.signature(annotated))
print(eval("1 + 1"), json.dumps({"a": 1}), collections.Counter("aab").most_common(1), __name__)
print(pathlib.PurePath("/a") / "b", threading.current_thread().name)
exec("made = [n for n in range(3)]")
print(made, sorted(globals())[-1])  # noqa: F821
try:
    {}["x"]
except KeyError:
    print(traceback.format_exc().splitlines()[-1])
