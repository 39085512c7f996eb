"""Everything that Kernelgate does, as methods of `Client` and `AsyncClient`.

Owns the mapping from calls to requests, once for both. Must not know how a request is sent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import httpx2

from kernelgate.jobs import (
    LONGEST_WAIT,
    NPY,
    asked,
    at,
    computed,
    encoded,
    finished,
    posted,
    seen,
    started,
    uploaded,
    waited,
)
from kernelgate.runs import Run, run_of
from kernelgate.steps import Steps, method, request
from kernelgate.values import Tensor, decode, from_npy, tensor

Record: TypeAlias = Mapping[str, Any]
SAFETENSORS = "application/vnd.safetensors"
_PAGE = 500  # entries of a list that one request may ask for


class Calls:
    """All methods, each described once. Every one raises `ApiError` when the server says no."""

    @method
    def request(
        self, method: str, path: str, /, *, wait: float = 0.0, **options: Any
    ) -> Steps[httpx2.Response]:
        """The response to any request; `wait` is added to the timeout. Raises `ApiError` from status 400 up."""
        return request(method, path, wait=wait, **options)

    # Runs

    @method
    def run(
        self,
        script: str,
        inputs: Mapping[str, object] | None = None,
        *,
        limits: Mapping[str, float] | None = None,
        grants: Mapping[str, object] | None = None,
        check: bool = True,
    ) -> Steps[Run]:
        """The finished run of `script`, whose `main` gets `inputs` by name.

        Raises the run's error when it did not succeed, unless `check` is false. The run goes on if the client
        dies meanwhile.
        """
        body = yield from asked(inputs, limits, grants, script=script)
        return (yield from finished("/api/runs", body, check))

    @method
    def start(
        self,
        script: str,
        inputs: Mapping[str, object] | None = None,
        *,
        limits: Mapping[str, float] | None = None,
        grants: Mapping[str, object] | None = None,
    ) -> Steps[Run]:
        """The run of `script` as it was just after it was accepted; see `wait`, `events` and `cancel`."""
        return (yield from started("/api/runs", (yield from asked(inputs, limits, grants, script=script))))

    @method
    def get_run(self, run_id: str) -> Steps[Run]:
        """The run as it is now."""
        return seen(run_id)

    @method
    def list_runs(self, limit: int = 50, *, status: str | None = None) -> Steps[list[Record]]:
        """The newest `limit` runs that you may read, in short; only those with `status`, as `failed`, if given."""
        return _listed("/api/runs", "runs", limit, "before", status=status)

    @method
    def wait(self, run_id: str, seconds: float = LONGEST_WAIT) -> Steps[Run]:
        """The run when it is over, or as it is after `seconds`."""
        return waited(run_id, seconds)

    @method
    def cancel(self, run_id: str) -> Steps[Run]:
        """Stop the run; the answer is the run as it is then. Cancelling twice is harmless."""
        return run_of((yield from request("DELETE", at("runs", run_id))).json())

    # Stored scripts

    @method
    def add_script(self, name: str, source: str) -> Steps[Record]:
        """Store Python under `name`; the answer has its hash."""
        return posted("/api/scripts", json={"name": name, "source": source})

    @method
    def get_script(self, name: str) -> Steps[Record]:
        """A stored script: its source, and JSON Schema of what its `main` takes and gives."""
        return _got(at("scripts", name))

    @method
    def list_scripts(self, limit: int = 50) -> Steps[list[Record]]:
        """The first `limit` scripts by name that you may read, in short."""
        return _listed("/api/scripts", "scripts", limit, "after")

    @method
    def delete_script(self, name: str) -> Steps[None]:
        """Forget a script with all its versions."""
        yield from request("DELETE", at("scripts", name))

    @method
    def call(self, name: str, /, **inputs: object) -> Steps[Any]:
        """What the `main` of a stored script gives for `inputs`: `name`, `name@hash`, `owner/name` or
        `owner/name@hash`. Raises the run's error."""
        run = yield from finished(at("scripts", name), (yield from asked(inputs)), True)
        return run.result

    @method
    def call_script(
        self,
        name: str,
        inputs: Mapping[str, object] | None = None,
        *,
        limits: Mapping[str, float] | None = None,
        grants: Mapping[str, object] | None = None,
        check: bool = True,
    ) -> Steps[Run]:
        """The finished run of a stored script's `main`; the rest as `run` has it."""
        return (yield from finished(at("scripts", name), (yield from asked(inputs, limits, grants)), check))

    @method
    def start_script(
        self,
        name: str,
        inputs: Mapping[str, object] | None = None,
        *,
        limits: Mapping[str, float] | None = None,
        grants: Mapping[str, object] | None = None,
    ) -> Steps[Run]:
        """The run of a stored script's `main`, as it was just after it was accepted."""
        return (yield from started(at("scripts", name), (yield from asked(inputs, limits, grants))))

    # Tensors

    @method
    def upload(self, array: object) -> Steps[Tensor]:
        """A tensor on the server from a NumPy array, nested lists, the bytes of an `.npy` file, or a path to one."""
        return uploaded(array)

    @method
    def upload_safetensors(self, source: bytes | Path) -> Steps[dict[str, Tensor]]:
        """The tensors on the server, by name, from a safetensors file or its bytes."""
        content = source.read_bytes() if isinstance(source, Path) else source
        headers = {"Content-Type": SAFETENSORS}
        made = (yield from posted("/api/tensors", content=content, headers=headers))["tensors"]
        return {name: tensor(fields) for name, fields in made.items()}

    @method
    def upload_strings(self, source: bytes | Path, block: int | None = None) -> Steps[tuple[Tensor, Tensor]]:
        """The lines of bytes or of a file, or blocks of `block` bytes, as the two tensors that ops and kernels take.

        They are the bytes of all in u32 words, and where each begins.
        """
        params: dict[str, str | int] = {"split": "lines"} if block is None else {"block": block}
        content = source.read_bytes() if isinstance(source, Path) else source
        made = (yield from posted("/api/tensors", params=params, content=content))["tensors"]
        return tensor(made["bytes"]), tensor(made["offsets"])

    @method
    def download(self, source: Tensor | str) -> Steps[Any]:
        """The elements of a tensor as a NumPy array, or as the bytes of an `.npy` file without NumPy."""
        return from_npy((yield from _elements(source, NPY)))

    @method
    def download_npy(self, source: Tensor | str) -> Steps[bytes]:
        """The elements of a tensor as the bytes of an `.npy` file."""
        return _elements(source, NPY)

    @method
    def download_safetensors(self, source: Tensor | str) -> Steps[bytes]:
        """The elements of a tensor as the bytes of a safetensors file."""
        return _elements(source, SAFETENSORS)

    @method
    def get_tensor(self, source: Tensor | str) -> Steps[Record]:
        """What is known of a tensor: shape, dtype, bytes, when it was made."""
        return _got(at("tensors", _id(source)))

    @method
    def list_tensors(self, limit: int = 50) -> Steps[list[Record]]:
        """The newest `limit` stored tensors that you may read."""
        return _listed("/api/tensors", "tensors", limit, "before")

    @method
    def delete_tensor(self, source: Tensor | str) -> Steps[None]:
        """Forget a tensor."""
        yield from request("DELETE", at("tensors", _id(source)))

    # Kernels, ops, the device

    @method
    def add_kernel(
        self,
        name: str,
        source: str | None = None,
        *,
        template: str | None = None,
        params: Mapping[str, Mapping[str, object]] | None = None,
    ) -> Steps[Record]:
        """Store WGSL, or a jinja2 `template` of it, under `name`; the answer lists its hash, entry points and bindings.

        `params` declares the template's parameters, as `{"tile": {"type": "int", "default": 16, "max": 64}}`.
        """
        given = {"name": name, "source": source, "template": template, "params": params}
        return posted("/api/kernels", json={key: value for key, value in given.items() if value is not None})

    @method
    def get_kernel(self, name: str) -> Steps[Record]:
        """A stored kernel: its source, entry points and bindings, and why it is in quarantine, if it is."""
        return _got(at("kernels", name))

    @method
    def list_kernels(self, limit: int = 50) -> Steps[list[Record]]:
        """The first `limit` kernels by name that you may read, in short."""
        return _listed("/api/kernels", "kernels", limit, "after")

    @method
    def delete_kernel(self, name: str) -> Steps[None]:
        """Forget a kernel with all its versions."""
        yield from request("DELETE", at("kernels", name))

    @method
    def dispatch(
        self,
        name: str,
        inputs: Mapping[str, object],
        workgroups: Sequence[int] | None = None,
        entry_point: str | None = None,
        *,
        params: Mapping[str, object] | None = None,
        threads: Sequence[int] | None = None,
        over: str | None = None,
        overrides: Mapping[str, float] | None = None,
        steps: Sequence[Mapping[str, object]] | None = None,
        outputs: Sequence[str] | None = None,
        fuel: int | None = None,
    ) -> Steps[dict[str, Tensor]]:
        """The tensors that one dispatch of a stored kernel writes, by name.

        An input is a tensor or array for a storage binding, `output(shape, dtype)` for one to make, a list of bytes or
        text, and a number, list or dict of fields for a uniform. The size is `workgroups`, or `threads`, or a thread an
        element of the binding `over` or, without any of these, of the largest array that is written. A step is a dict
        of the same words, with `bind` for bindings whose arrays have other names. `params` are values for the kernel's
        template.
        """
        asked = {
            "workgroups": None if workgroups is None else list(workgroups),
            "threads": None if threads is None else list(threads),
            "over": over,
            "entry_point": entry_point,
            "overrides": None if overrides is None else (yield from encoded(dict(overrides))),
            "params": None if params is None else dict(params),
            "steps": None if steps is None else (yield from encoded([dict(step) for step in steps])),
            "outputs": None if outputs is None else list(outputs),
            "fuel": fuel,
        }
        body = {"inputs": (yield from encoded(dict(inputs)))}
        body |= {key: value for key, value in asked.items() if value is not None}
        answer = yield from computed(f"{at('kernels', name)}/dispatch", body)
        return {key: decode(value) for key, value in answer["outputs"].items()}

    @method
    def op(self, name: str, /, *inputs: object, **attributes: object) -> Steps[Tensor]:
        """The output of one op of the table, as `op("matmul", a, b)` or `op("sum", a, dims=[0])`."""
        body = {"inputs": (yield from encoded(list(inputs))), "attributes": (yield from encoded(attributes))}
        output: Tensor = decode((yield from computed(at("ops", name), body))["output"])
        return output

    @method
    def list_ops(self) -> Steps[list[Record]]:
        """All ops of the table, with inputs, attributes, dtypes and meaning."""
        ops: list[Record] = (yield from _got("/api/ops?limit=1"))["ops"]
        return ops

    @method
    def device(self) -> Steps[Record]:
        """The adapter that computes, and its memory."""
        return _got("/api/device")


def output(shape: Sequence[int], dtype: str, *, temporary: bool = False) -> dict[str, object]:
    """A dispatch's input that asks for a new tensor, zero at the start; a `temporary` one is for its steps only."""
    return {"shape": list(shape), "dtype": dtype} | ({"temporary": True} if temporary else {})


def _got(path: str) -> Steps[Any]:
    return (yield from request("GET", path)).json()


def _listed(path: str, noun: str, limit: int, cursor: str, **query: str | None) -> Steps[list[Record]]:
    """The first `limit` entries of a list, of as many pages as that takes."""
    found: list[Record] = []
    params: dict[str, Any] = {key: value for key, value in query.items() if value is not None}
    while len(found) < limit:
        params["limit"] = min(limit - len(found), _PAGE)
        page = (yield from request("GET", path, params=params)).json()
        found += page[noun]
        if page["next"] is None:
            break
        params[cursor] = page["next"]
    return found


def _elements(source: Tensor | str, kind: str) -> Steps[bytes]:
    path = f"{at('tensors', _id(source))}/data"
    content: bytes = (yield from request("GET", path, headers={"Accept": kind})).content
    return content


def _id(source: Tensor | str) -> str:
    name = source if isinstance(source, str) else source.id
    if name is None:
        raise ValueError("this tensor is not on the server: upload it first")
    return name
