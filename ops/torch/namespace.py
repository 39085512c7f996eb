"""What `import torch` gives a script.

Owns the list of names. Must not know how scripts are run: `sandbox/` makes modules of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from ops.torch import creation, draws, lazy, methods, nn, typenames
from ops.torch.tensor import Tensor, node_of
from ops.torch.typenames import Size, TypeName

F = TypeVar("F", bound=Callable[..., object])
_CREATION = "tensor full zeros ones zeros_like ones_like full_like arange linspace eye"
_ALSO_OF_NN = (
    "layer_norm rms_norm group_norm instance_norm batch_norm cosine_similarity embedding embedding_bag dropout"
    " cosine_embedding_loss hinge_embedding_loss margin_ranking_loss kl_div poisson_nll_loss"
)
"""Functions of `torch.nn.functional` that `torch` has too."""

_METHODS = {
    "reshape": "shape",
    "flatten": "",
    "squeeze": "",
    "unsqueeze": "",
    "permute": "dims",
    "transpose": "",
    "broadcast_to": "size",
    "t": "",
    "numel": "",
}
"""Methods of `Tensor` that PyTorch also has as functions, and by which name those take sizes or axes."""


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
        **draws.FUNCTIONS,
        **{name: nn.FUNCTIONAL[name] for name in _ALSO_OF_NN.split()},
        "as_tensor": creation.as_tensor,
        "from_numpy": creation.tensor,
        "empty": creation.zeros,
        "empty_like": creation.zeros_like,
        **{name: _function(getattr(Tensor, name), sizes) for name, sizes in _METHODS.items()},
        "swapaxes": _function(Tensor.transpose),
        "explain": explain,
        "Tensor": Tensor,
        "Generator": draws.Generator,
        "Size": Size,
        "dtype": TypeName,
        **{repr(type).removeprefix("torch."): type for type in typenames.TYPES},
        "float": typenames.float32,
        "half": typenames.float16,
        "long": typenames.int64,
        "int": typenames.int32,
        "short": typenames.int16,
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
            "functional": nn.FUNCTIONAL,
        },
    }


def _function(method: Callable[..., Any], sizes: str = "") -> Callable[..., Any]:
    """A method as a function of `input`, which takes what `sizes` names by that name too."""

    @wraps(method)
    def function(input: Tensor, *args: Any, **named: Any) -> Any:
        return method(input, *([named.pop(sizes)] if sizes in named else args), **named)

    return function


def explain(*tensors: Tensor, wgsl: object = False) -> str:
    """How several tensors would be computed together, in words; nothing is computed."""
    return lazy.explain([node_of(tensor) for tensor in tensors], bool(wgsl))


def is_tensor(value: object) -> bool:
    """Whether `value` is a tensor."""
    return isinstance(value, Tensor)


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and elements."""
    if input.shape != other.shape:
        return False
    return not input.numel() or bool(methods.FUNCTIONS["eq"](input, other).int().amin())
