"""`Client`: everything that Kernelgate does, from Python.

Owns the mapping from calls to requests. Must not import the server's folders: it works where only the client is
installed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx2

from kernelgate.errors import ApiError, NoServer
from kernelgate.runs import Event, Run, events_of, run_of
from kernelgate.session import Session
from kernelgate.values import Tensor, decode, encode, from_npy, tensor, to_npy

DEFAULT_URL = "http://127.0.0.1:8765"
NPY = "application/x-npy"
_LONGEST_WAIT = 30.0  # seconds that one request waits for a run before it asks again


class Client:
    """A connection to one Kernelgate with one key. Use it as a context manager, or call `close`.

    `url` comes from KERNELGATE_URL (or KERNELGATE_PORT on loopback) and `key` from KERNELGATE_KEY, or from the
    `admin.key` of a server's data folder on this machine. `timeout` is in seconds and bounds each request beyond
    the time that it asks the server to wait; `transport` replaces the network. Every method raises `ApiError` when
    the server says no.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = 60.0,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self.url = (url or default_url()).rstrip("/")
        key = default_key() if key is None else key
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._timeout = timeout
        self._http = httpx2.Client(base_url=self.url, headers=headers, timeout=timeout, transport=transport)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def request(self, method: str, path: str, *, wait: float = 0.0, **options: Any) -> httpx2.Response:
        """The response to any request; `wait` is added to the timeout. Raises `ApiError` from status 400 up."""
        try:
            response = self._http.request(method, path, timeout=self._timeout + wait, **options)
        except httpx2.TransportError as error:
            raise NoServer(self.url, error) from error
        if response.status_code >= 400:
            raise ApiError(_problem(response), response.status_code)
        return response

    # Runs

    def run(
        self,
        script: str,
        inputs: Mapping[str, object] | None = None,
        *,
        limits: Mapping[str, float] | None = None,
        grants: Mapping[str, object] | None = None,
        check: bool = True,
    ) -> Run:
        """The finished run of `script`, whose `main` gets `inputs` by name.

        Raises the run's error when it did not succeed, unless `check` is false. The run goes on if the client
        dies meanwhile.
        """
        body = self._body(inputs, limits, grants) | {"script": script}
        return self._finished("/api/runs", body, check)

    def start(
        self,
        script: str,
        inputs: Mapping[str, object] | None = None,
        *,
        limits: Mapping[str, float] | None = None,
        grants: Mapping[str, object] | None = None,
    ) -> Run:
        """The run of `script` as it was just after it was accepted; see `wait`, `events` and `cancel`."""
        return self._post_run("/api/runs", self._body(inputs, limits, grants) | {"script": script}, None)

    def get_run(self, run_id: str) -> Run:
        """The run as it is now."""
        return run_of(self.request("GET", f"/api/runs/{run_id}").json())

    def wait(self, run_id: str, seconds: float = _LONGEST_WAIT) -> Run:
        """The run when it is over, or as it is after `seconds`."""
        end = time.monotonic() + seconds
        pause = 0.02
        run = self.get_run(run_id)
        while not run.done and time.monotonic() < end:
            time.sleep(pause)
            pause = min(pause * 1.5, 0.5)
            run = self.get_run(run_id)
        return run

    def cancel(self, run_id: str) -> Run:
        """Stop the run; the answer is the run as it is then. Cancelling twice is harmless."""
        return run_of(self.request("DELETE", f"/api/runs/{run_id}").json())

    def events(self, run_id: str, after: str | None = None) -> Iterator[Event]:
        """The run's events from the first (or after the one with id `after`) until it is over."""
        headers = {"Last-Event-ID": after} if after else {}
        with self._http.stream(
            "GET", f"/api/runs/{run_id}/events", headers=headers, timeout=None
        ) as response:
            if response.status_code >= 400:
                response.read()
                raise ApiError(_problem(response), response.status_code)
            yield from events_of(response.iter_lines())

    # Stored scripts and sessions

    def add_script(self, name: str, source: str) -> Mapping[str, Any]:
        """Store Python under `name`; the answer has its hash."""
        answer: dict[str, Any] = self.request(
            "POST", "/api/scripts", json={"name": name, "source": source}
        ).json()
        return answer

    def call(self, name: str, /, **inputs: object) -> Any:
        """What the `main` of a stored script gives for `inputs`: `name`, `name@hash`, `owner/name` or
        `owner/name@hash`. Raises the run's error."""
        return self.call_script(name, inputs).result

    def call_script(
        self,
        name: str,
        inputs: Mapping[str, object] | None = None,
        *,
        limits: Mapping[str, float] | None = None,
        grants: Mapping[str, object] | None = None,
        check: bool = True,
    ) -> Run:
        """The finished run of a stored script's `main`; the rest as `run` has it."""
        return self._finished(f"/api/scripts/{name}", self._body(inputs, limits, grants), check)

    def session(
        self,
        *,
        limits: Mapping[str, float] | None = None,
        grants: Mapping[str, object] | None = None,
        idle_s: float | None = None,
    ) -> Session:
        """A worker that keeps its variables from cell to cell. Use it as a context manager, or `close` it.

        `limits` are each cell's, but for memory and tensors; without a cell it ends after `idle_s` seconds.
        """
        given = {"limits": dict(limits or {}), "grants": dict(grants or {}), "idle_s": idle_s}
        record = self.request("POST", "/api/sessions", json={k: v for k, v in given.items() if v}).json()
        path = f"/api/sessions/{record['id']}"

        def run(script: str, inputs: Mapping[str, object] | None, check: bool) -> Run:
            return self._finished(f"{path}/run", self._body(inputs, None, None) | {"script": script}, check)

        return Session(record["id"], run, lambda: self.request("DELETE", path))

    # Tensors

    def upload(self, array: object) -> Tensor:
        """A tensor on the server from a NumPy array, nested lists, the bytes of an `.npy` file, or a path to one."""
        headers = {"Content-Type": NPY}
        return tensor(self.request("POST", "/api/tensors", content=to_npy(array), headers=headers).json())

    def upload_strings(self, source: bytes | Path, block: int | None = None) -> tuple[Tensor, Tensor]:
        """The lines of bytes or of a file, or blocks of `block` bytes, as the two tensors that ops and kernels take.

        They are the bytes of all in u32 words, and where each begins.
        """
        params: dict[str, str | int] = {"split": "lines"} if block is None else {"block": block}
        content = source.read_bytes() if isinstance(source, Path) else source
        made = self.request("POST", "/api/tensors", params=params, content=content).json()["tensors"]
        return tensor(made["bytes"]), tensor(made["offsets"])

    def download(self, source: Tensor | str) -> Any:
        """The elements of a tensor as a NumPy array, or as the bytes of an `.npy` file without NumPy."""
        return from_npy(self.download_npy(source))

    def download_npy(self, source: Tensor | str) -> bytes:
        """The elements of a tensor as the bytes of an `.npy` file."""
        path = f"/api/tensors/{_id(source)}/data"
        return self.request("GET", path, headers={"Accept": NPY}).content

    def delete_tensor(self, source: Tensor | str) -> None:
        """Forget a tensor."""
        self.request("DELETE", f"/api/tensors/{_id(source)}")

    # Kernels, ops, the device

    def add_kernel(
        self,
        name: str,
        source: str | None = None,
        *,
        template: str | None = None,
        params: Mapping[str, Mapping[str, object]] | None = None,
    ) -> Mapping[str, Any]:
        """Store WGSL, or a jinja2 `template` of it, under `name`; the answer lists its hash, entry points and bindings.

        `params` declares the template's parameters, as `{"tile": {"type": "int", "default": 16, "max": 64}}`.
        """
        given = {"name": name, "source": source, "template": template, "params": params}
        body = {key: value for key, value in given.items() if value is not None}
        answer: dict[str, Any] = self.request("POST", "/api/kernels", json=body).json()
        return answer

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
    ) -> dict[str, Tensor]:
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
            "overrides": None if overrides is None else encode(dict(overrides)),
            "params": None if params is None else dict(params),
            "steps": None if steps is None else [encode(dict(step), self.upload) for step in steps],
            "outputs": None if outputs is None else list(outputs),
            "fuel": fuel,
        }
        body = {"inputs": encode(dict(inputs), self.upload)}
        body |= {key: value for key, value in asked.items() if value is not None}
        answer = self.request("POST", f"/api/kernels/{name}/dispatch", json=body).json()
        return {key: decode(value) for key, value in answer["outputs"].items()}

    def op(self, name: str, *inputs: object, **attributes: object) -> Tensor:
        """The output of one op of the table, as `op("matmul", a, b)` or `op("sum", a, dims=[0])`."""
        body: dict[str, Any] = {"inputs": [encode(value, self.upload) for value in inputs]}
        body["attributes"] = encode(attributes, self.upload)
        output: Tensor = decode(self.request("POST", f"/api/ops/{name}", json=body).json()["output"])
        return output

    def device(self) -> Mapping[str, Any]:
        """The adapter that computes, and its memory."""
        answer: dict[str, Any] = self.request("GET", "/api/device").json()
        return answer

    def _body(
        self,
        inputs: Mapping[str, object] | None,
        limits: Mapping[str, float] | None,
        grants: Mapping[str, object] | None,
    ) -> dict[str, Any]:
        given = {"limits": dict(limits or {}), "grants": dict(grants or {})}
        return {"inputs": encode(dict(inputs or {}), self.upload)} | {k: v for k, v in given.items() if v}

    def _finished(self, path: str, body: Mapping[str, Any], check: bool) -> Run:
        """The run that a request to `path` makes, when it is over."""
        run = self._post_run(path, body, _LONGEST_WAIT)
        while not run.done:
            run = self.wait(run.id)
        return run.checked() if check else run

    def _post_run(self, path: str, body: Mapping[str, Any], wait: float | None) -> Run:
        headers = {"Idempotency-Key": os.urandom(16).hex()}
        if wait is not None:
            headers["Prefer"] = f"wait={wait:g}"
        return run_of(self.request("POST", path, json=body, headers=headers, wait=wait or 0.0).json())


def output(shape: Sequence[int], dtype: str, *, temporary: bool = False) -> dict[str, object]:
    """A dispatch's input that asks for a new tensor, zero at the start; a `temporary` one is for its steps only."""
    return {"shape": list(shape), "dtype": dtype} | ({"temporary": True} if temporary else {})


def default_url() -> str:
    """The address from the environment, else loopback."""
    port = os.environ.get("KERNELGATE_PORT")
    return os.environ.get("KERNELGATE_URL") or (f"http://127.0.0.1:{port}" if port else DEFAULT_URL)


def data_folder() -> Path:
    """Where a server on this machine keeps its data, unless it was told otherwise."""
    home = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(os.environ.get("KERNELGATE_DATA") or f"{home}/kernelgate").expanduser()


def default_key() -> str | None:
    """The key from the environment, else that of a server's data folder on this machine, else None."""
    key = os.environ.get("KERNELGATE_KEY")
    if key:
        return key
    try:
        return (data_folder() / "admin.key").read_text().strip()
    except OSError:
        return None


def _problem(response: httpx2.Response) -> Mapping[str, Any]:
    try:
        problem = response.json()
    except ValueError:
        problem = None
    if isinstance(problem, dict):
        return problem
    return {"code": "unknown", "detail": f"the server answered {response.status_code}: {response.text[:200]}"}


def _id(source: Tensor | str) -> str:
    name = source if isinstance(source, str) else source.id
    if name is None:
        raise ValueError("this tensor is not on the server: upload it first")
    return name
