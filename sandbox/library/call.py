"""`call("namespace.op", …)`: an operation of the registry, or a stored script, by its full name.

Owns the namespaces and what their arguments are. Must not know grants: the server refuses what was not granted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ops.loose import Data, Value
from ops.table import NAMESPACES, find, full_name
from ops.torch.creation import tensor
from ops.torch.tensor import Tensor, apply
from sandbox.entry import result_of
from sandbox.errors import ScriptError
from sandbox.library import kernels, stored


def call(operation: str, /, *tensors: Data, **attributes: Value) -> Value:
    """Run an operation: `call("tensor.matmul", a, b)`, `call("hash.sha256", data, offsets)`.

    Of an op, what is no tensor becomes one, and attributes go by name. `call("kernel.NAME", …)` is
    `kernels.run("NAME", …)`, and `call("script.NAME", …)` the `main` of a stored script, `script.OWNER/NAME` of another
    owner's; both take everything by name. Raises ValueError for a name of no namespace, and `PermissionDenied`, at the
    latest when a value is asked for, for one that the run was not granted.
    """
    return _call("", operation, tensors, attributes)


def call_of(owner: str) -> Callable[..., Any]:
    """The `call` of a stored script of another owner's."""

    def call(operation: str, /, *tensors: Data, **attributes: Value) -> Value:
        return _call(owner, operation, tensors, attributes)

    return call


def _call(home: str, operation: str, tensors: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    namespace, _, name = str(operation).partition(".")
    if namespace == "script":
        if tensors:
            raise TypeError(f"{operation}: a script takes its inputs by name")
        try:
            return result_of(stored.space_of(name, home), attributes, main_ran=False)
        except ScriptError as error:
            raise TypeError(f"{operation}: {error.message}") from None
    if namespace == "kernel":
        if tensors:
            raise TypeError(f"{operation}: a kernel takes its tensors by the names of its bindings")
        return kernels.run(name, **attributes)
    if namespace not in NAMESPACES:
        raise ValueError(
            f"{operation!r} is in no namespace of operations: {', '.join(NAMESPACES)}, kernel or script; "
            "a stored script is script.NAME"
        )
    spec = find(name)
    if full_name(spec) != f"{namespace}.{spec.name}":
        raise ValueError(f"there is no {operation!r}; {full_name(spec)} is called so")
    given = [value if isinstance(value, Tensor) else tensor(value) for value in tensors]
    return apply(spec.name, given, **attributes)
