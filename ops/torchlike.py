"""What `import torch` gives a script.

Owns the list of names. Must not know how scripts are run: `sandbox/` makes modules of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ops import creation, methods, nn, typenames
from ops.tensor import Tensor, explain
from ops.typenames import Size, TypeName

F = TypeVar("F", bound=Callable[..., Any])
_CREATION = (
    "tensor full zeros ones zeros_like ones_like full_like arange linspace eye manual_seed rand randn randint"
)


class NoGrad:
    """`with torch.no_grad():`, also as a decorator. No gradients are recorded anyway."""

    def __init__(self, mode: bool = True) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass

    def __call__(self, function: F) -> F:
        return function


def namespace() -> dict[str, object]:
    """The public names of `torch`; a value that is a dict is a submodule (`nn`, and `nn.functional` in it)."""
    return {
        **methods.FUNCTIONS,
        **{name: getattr(creation, name) for name in _CREATION.split()},
        "as_tensor": creation.tensor,
        "from_numpy": creation.tensor,
        "empty": creation.zeros,
        "empty_like": creation.zeros_like,
        **_shape_functions(),
        "explain": explain,
        "Tensor": Tensor,
        "Size": Size,
        "dtype": TypeName,
        "float32": typenames.float32,
        "float": typenames.float32,
        "float16": typenames.float16,
        "half": typenames.float16,
        "int32": typenames.int32,
        "int": typenames.int32,
        "uint32": typenames.uint32,
        "bool": typenames.bool_,
        "no_grad": NoGrad,
        "inference_mode": NoGrad,
        "is_tensor": is_tensor,
        "equal": equal,
        "inf": float("inf"),
        "nan": float("nan"),
        "pi": 3.141592653589793,
        "nn": {
            **{layer.__name__: layer for layer in nn.LAYERS},
            "Parameter": nn.Parameter,
            "functional": dict(nn.FUNCTIONAL),
        },
    }


def _shape_functions() -> dict[str, object]:
    """Methods of `Tensor` that PyTorch also has as functions."""
    names = (
        "reshape",
        "flatten",
        "squeeze",
        "unsqueeze",
        "permute",
        "transpose",
        "broadcast_to",
        "t",
        "numel",
    )
    return {name: getattr(Tensor, name) for name in names} | {"swapaxes": Tensor.transpose}


def is_tensor(value: Any) -> bool:
    """Whether `value` is a tensor."""
    return isinstance(value, Tensor)


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and elements."""
    if input.shape != other.shape:
        return False
    return not input.numel() or bool(methods.FUNCTIONS["eq"](input, other).int().amin())
