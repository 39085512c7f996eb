"""What to do about an error of Python's own: a name, a module or an attribute that scripts have not.

Owns what scripts have in place of what they have not. Must not know how an error is reported.
"""

from __future__ import annotations

import re
import types
from collections.abc import Iterable
from typing import Any

from ops.torch.tensor import MAKE_ONE, Tensor
from sandbox.policy import modules, names
from sandbox.policy.compiler import of_a_file
from sandbox.policy.names import words
from sandbox.policy.tracebacks import source_of
from sandbox.policy.views import DeniedImport, Namespace, available, star_names, title_of
from shaders.suggestions import meant

_INSTEAD = {
    "Call fetch(url), or import requests or httpx; the run's grants must name the host.": words(
        "urllib urllib.request urllib.error urllib3 http http.client aiohttp pycurl httplib2 socket ssl websockets "
        "ftplib smtplib socketserver"
    ),
    "A script starts no programs: what is computed runs in it, or on the device.": words(
        "subprocess multiprocessing pty os.system os.popen os.fork os.spawnl os.execv"
    ),
    "A script is one thread: the device computes in parallel, and asyncio waits for many fetches at a time.": words(
        "threading concurrent concurrent.futures queue joblib dask ray"
    ),
    "Import torch or numpy: scripts have no other library of numbers.": words(
        "pandas polars scipy sklearn tensorflow keras jax xgboost statsmodels sympy torchvision torchaudio "
        "transformers"
    ),
    "Return the values or tensors, and draw them where you are.": words("matplotlib seaborn plotly PIL cv2"),
    "Torch's ops run on the device; kernels.run dispatches a kernel in WGSL of your own.": words(
        "cupy numba triton pycuda wgpu pyopencl torch.compile torch.jit"
    ),
    "Use json or struct; tensors and bytes can be returned as they are.": words(
        "pickle marshal shelve dill cloudpickle torch.save torch.load numpy.load numpy.save numpy.savez"
    ),
    "Use open(), os and pathlib; the run's grants must name the folder.": words(
        "shutil glob tempfile fnmatch"
    ),
    "Call progress(fraction, loss=…), which every watcher of the run sees.": words("tqdm"),
    "Tensors are on the device already: leave devices out.": words(
        "torch.cuda torch.device torch.backends Tensor.cuda Tensor.is_cuda Tensor.pin_memory device= pin_memory="
    ),
    "Floats on the device have 32 bits or fewer: torch.float32, float16, bfloat16.": words(
        "torch.float64 torch.double torch.complex64 torch.complex128 Tensor.double"
    ),
    "Gradients are not recorded: write them out. Some are ops, as call('tensor.gelu.dx', x, grad).": words(
        "torch.optim torch.autograd Tensor.backward Tensor.grad Tensor.requires_grad_ requires_grad="
    ),
}
_BY_NAME = {name: text for text, group in _INSTEAD.items() for name in group}
_USUAL = {
    "np": "import numpy as np",
    "nn": "from torch import nn",
    "F": "import torch.nn.functional as F",
}
_DATA = (list, tuple, range, int, float, bool)
"""What scripts get of JSON, where they may have had tensors in mind."""
_KEYWORD = re.compile(r"got an unexpected keyword argument '(\w+)'")
_CALLED = {
    re.compile(
        r"^progress\(\) takes .* positional"
    ): "As progress(0.5, loss=1.2): how far it is, of 1, and values by name.",
    re.compile(
        r"^fetch\(\) got .* keyword"
    ): "It takes method, headers, params, json, data, timeout, auth, follow.",
}
"""How a function of ours is called, by how Python refuses a call."""
_BESIDE_A_TENSOR = re.compile(r"unsupported operand .*'Tensor'")
_LISTED = 12
"""Names of a module that are told, where none is close."""


def advice(error: BaseException) -> str | None:
    """What to do about `error`, if that can be said of its kind."""
    match error:
        case DeniedImport():
            return _module(str(error.name))
        case ImportError():
            module, member = str(error.name), getattr(error, "name_from", None)
            return _member(module, member, star_names(module) or []) if isinstance(member, str) else None
        case NameError():
            return _variable(str(error.name), error.__traceback__)
        case AttributeError() if error.name is not None:
            owner = error.obj
            if type(owner) in _DATA and hasattr(Tensor, error.name):
                return MAKE_ONE
            title = title_of(owner) if type(owner) is Namespace else type(owner).__name__
            return _member(title, names.unmangle(error.name), _attributes(owner))
        case TypeError() if called := [how for refusal, how in _CALLED.items() if refusal.search(str(error))]:
            return called[0]
        case TypeError() if found := _KEYWORD.search(str(error)):
            return _BY_NAME.get(f"{found[1]}=")
        case TypeError() if _BESIDE_A_TENSOR.search(str(error)):
            return MAKE_ONE
    return None


def _module(name: str) -> str:
    """In place of a module."""
    root = name.partition(".")[0]
    known = _BY_NAME.get(name) or _BY_NAME.get(root) or meant(name, available())
    if known or not modules.can_be_stored(name):
        return known or "GET /api/stubs shows all modules that scripts have."
    return f"Scripts have the modules of GET /api/stubs, and yours: store one as {name!r} to import it."


def _member(title: str, name: str, there: list[str]) -> str | None:
    """In place of what a module or the class of an object, called `title`, has not."""
    known = _BY_NAME.get(f"{title}.{name}") or meant(name, there)
    return known or (f"It has {', '.join(there)}." if 0 < len(there) <= _LISTED else None)


def _variable(name: str, chain: types.TracebackType | None) -> str | None:
    """In place of a variable that the last frame of `chain` does not know."""
    if name in _USUAL or name in available():
        return f"Write {_USUAL.get(name, f'import {name}')} at the beginning."
    while chain is not None and chain.tb_next is not None:
        chain = chain.tb_next
    if chain is None:
        return None
    frame = chain.tb_frame
    if a_file := of_a_file(source_of(frame.f_code.co_filename)):
        return a_file
    return meant(name, _shown([*frame.f_locals, *frame.f_globals, *frame.f_builtins])) or None


def _attributes(value: Any) -> list[str]:
    """The attributes of `value` that scripts may read; the object is not asked, since it may be the script's."""
    if type(value) is Namespace:
        return sorted(_shown(dir(value)))
    own = getattr(value, "__dict__", {})
    kinds = value.__mro__ if isinstance(value, type) else type(value).__mro__
    return _shown([*own, *(name for kind in kinds for name in vars(kind))])


def _shown(spelled: Iterable[str]) -> list[str]:
    return [names.unmangle(name) for name in spelled if not names.is_private(name) and name[0] != names.MARK]
