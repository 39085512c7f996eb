"""`call("namespace.op", …)`: an operation of the registry, by its full name.

Owns the namespaces and what their arguments are. Must not know grants: the server refuses what was not granted.
"""

from __future__ import annotations

from typing import Any

from ops.creation import tensor
from ops.table import NAMESPACES, find, full_name
from ops.tensor import Tensor, apply
from sandbox.library import kernels


def call(operation: str, /, *tensors: Any, **attributes: Any) -> Any:
    """Run an operation: `call("tensor.matmul", a, b)`, `call("hash.sha256", data, offsets)`.

    Of an op, what is no tensor becomes one, and attributes go by name. `call("kernel.NAME", …)` is
    `kernels.run("NAME", …)`, which takes everything by name. Raises ValueError for a name of no namespace, and
    `PermissionDenied`, at the latest when a value is asked for, for one that the run was not granted.
    """
    namespace, _, name = str(operation).partition(".")
    if namespace == "kernel":
        if tensors:
            raise TypeError(f"{operation}: a kernel takes its tensors by the names of its bindings")
        return kernels.run(name, **attributes)
    if namespace not in NAMESPACES:
        raise ValueError(f"{operation!r} is in no namespace of operations: {', '.join(NAMESPACES)} or kernel")
    spec = find(name)
    if full_name(spec) != f"{namespace}.{spec.name}":
        raise ValueError(f"there is no {operation!r}; {full_name(spec)} is called so")
    given = [value if isinstance(value, Tensor) else tensor(value) for value in tensors]
    return apply(spec.name, given, **attributes)
