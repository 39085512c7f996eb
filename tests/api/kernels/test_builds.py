"""Kernels from templates, over REST and in scripts; each set of values is built once, and old guards are replaced."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest
import sqlalchemy as sa

from api.kernels.builds import CACHED, Builder, is_current
from api.kernels.parameters import Parameter, Template
from api.storage import tables
from shaders.guard.guard import VERSION
from shaders.reflect import reflect
from shaders.reflection import Reflection

EXAMPLES = Path(__file__).parents[2] / "examples"
SCALE = """
{% include "partials/wide.wgsl.j2" %}
@group(0) @binding(0) var<storage, read_write> y: array<{{ type }}>;
@compute @workgroup_size({{ tile }})
fn main(@builtin(global_invocation_id) id: vec3<u32>) { y[id.x] = {{ type }}({{ factor }}) * {{ type }}(id.x + 1u); }
"""
PLAIN = """
@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) { y[id.x] = f32(id.x + 1u); }
"""
PARAMS = {
    "tile": {"type": "int", "default": 4, "min": 1, "max": 64, "description": "invocations of a workgroup"},
    "type": {"type": "string", "choices": ["f32", "u32"], "default": "f32"},
    "factor": {"type": "int", "default": 1},
}


def add(http: httpx2.Client, name: str, template: str = SCALE, params: Any = None) -> httpx2.Response:
    declared = PARAMS if params is None else params
    return http.post("/api/kernels", json={"name": name, "template": template, "params": declared})


def dispatch(http: httpx2.Client, name: str, params: Any, dtype: str = "f32") -> httpx2.Response:
    body = {"inputs": {"y": {"shape": [4], "dtype": dtype}}, "workgroups": [1], "params": params}
    return http.post(f"/api/kernels/{name}/dispatch", json=body)


def numbers(answer: httpx2.Response) -> list[float]:
    assert answer.status_code == 200, answer.text
    found: list[float] = answer.json()["outputs"]["y"]["$tensor"]["data"]
    return found


@pytest.fixture
def work(running: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """How often the server renders, parses and compiles."""
    counts: Counter[str] = Counter()
    runtime = running.server.runtime

    def counted(owner: Any, name: str) -> None:
        honest = getattr(owner, name)

        async def call(*given: Any, **named: Any) -> Any:
            counts[name] += 1
            return await honest(*given, **named)

        monkeypatch.setattr(owner, name, call)

    counted(runtime.pool, "render")
    counted(runtime.pool, "reflect")
    counted(runtime.compiler, "add_kernel")
    return counts  # type: ignore[return-value]


ONCE = {"render": 1, "reflect": 1, "add_kernel": 1}


# ---------------------------------------------------------------------- over REST
def test_a_template_is_stored_with_its_params_and_what_its_defaults_give(http: httpx2.Client) -> None:
    first = add(http, "scale")
    assert first.status_code == 201, first.text
    kernel = http.get("/api/kernels/scale").json()
    assert kernel["params"] == PARAMS
    assert kernel["template"] == SCALE
    assert "y: array<f32>" in kernel["source"]
    (entry,) = kernel["entry_points"]
    assert (entry["name"], entry["workgroup_size"]) == ("main", [4, 1, 1])
    assert kernel["bindings"][0]["type"] == "array<f32>"
    assert add(http, "scale").status_code == 200
    other = add(http, "scale", params={**PARAMS, "factor": {"type": "int", "default": 2}})
    assert (other.status_code, other.json()["hash"] != kernel["hash"]) == (201, True)
    assert http.get(f"/api/kernels/scale@{kernel['hash']}").json()["params"] == PARAMS


def test_each_set_of_params_is_a_kernel_of_its_own(http: httpx2.Client) -> None:
    add(http, "scale")
    assert numbers(dispatch(http, "scale", {})) == [1, 2, 3, 4]
    assert numbers(dispatch(http, "scale", {"factor": -3})) == [-3, -6, -9, -12]
    assert numbers(dispatch(http, "scale", {"factor": 3, "type": "u32", "tile": 64}, "u32")) == [3, 6, 9, 12]
    assert dispatch(http, "scale", {"type": "u32"}, "f32").json()["code"] == "binding_mismatch"


def test_a_second_dispatch_of_a_set_costs_no_worker_and_no_compile(
    http: httpx2.Client, work: Counter[str]
) -> None:
    add(http, "once", SCALE + "// once")
    assert work == ONCE
    dispatch(http, "once", {"tile": 4, "factor": 1})
    assert work == ONCE, "the defaults were built when it was stored"
    work.clear()
    for _ in range(3):
        assert numbers(dispatch(http, "once", {"factor": 5})) == [5, 10, 15, 20]
    assert numbers(dispatch(http, "once", {"tile": 4, "type": "f32", "factor": 5})) == [5, 10, 15, 20]
    assert work == ONCE


def test_a_template_outlives_the_server(
    start: Callable[..., Any],
) -> None:
    with start() as running:
        data = running.settings.data
        assert add(running.http, "kept").status_code == 201
    with start(data=data) as running:
        kernel = running.http.get("/api/kernels/kept").json()
        assert (kernel["params"], kernel["template"]) == (PARAMS, SCALE)


@pytest.mark.parametrize(
    ("params", "code", "says"),
    [
        ({"tile": 65}, "template_params", "params.tile: 65 is not an int from 1 to 64"),
        ({"type": "i32"}, "template_params", "params.type: 'i32' is not one of f32, u32"),
        ({"size": 1}, "template_params", "params.size does not exist"),
        ({"tile": None}, "template_params", "params.tile: None"),
        ([], "invalid_request", "params"),
        ({str(n): 1 for n in range(33)}, "invalid_request", "params"),
    ],
)  # fmt: skip
def test_params_that_do_not_fit_are_refused_by_name(
    http: httpx2.Client, params: Any, code: str, says: str
) -> None:
    add(http, "scale")
    problem = dispatch(http, "scale", params).json()
    assert (problem["status"], problem["code"]) == (422, code)
    assert says in problem["detail"]


def test_a_kernel_of_wgsl_takes_no_params(http: httpx2.Client) -> None:
    http.post("/api/kernels", json={"name": "plain", "source": PLAIN})
    problem = dispatch(http, "plain", {"tile": 1}).json()
    assert (problem["code"], problem["detail"]) == ("template_params", "the kernel 'plain' takes no params")
    assert dispatch(http, "plain", {}).status_code == 200


def test_a_parameter_with_an_example_must_be_given(http: httpx2.Client) -> None:
    params = {**PARAMS, "factor": {"type": "int", "example": 7}}
    assert add(http, "needs", params=params).status_code == 201
    assert "= f32(7) *" in http.get("/api/kernels/needs").json()["source"]
    assert "params.factor must be given: an int from" in dispatch(http, "needs", {}).json()["detail"]
    assert numbers(dispatch(http, "needs", {"factor": 2})) == [2, 4, 6, 8]


@pytest.mark.parametrize(
    ("body", "code", "says"),
    [
        ({}, "invalid_request", "a source, which is WGSL, or a template"),
        ({"source": "x", "template": "x"}, "invalid_request", "and not both"),
        ({"source": "x", "params": {"a": {"type": "int", "default": 1}}}, "invalid_request", "those of a template"),
        ({"template": "{{ a }}", "params": {"a": {"type": "int"}}}, "template_params", "params.a: it needs a default"),
        ({"template": "{{ a }}", "params": {"a": {"type": "u32", "default": 1}}}, "invalid_request", "params.a.type"),
        ({"template": "{{ a }}", "params": {"a": 1}}, "invalid_request", "params.a"),
        ({"template": "", "params": {"a": {"type": "int", "default": 1, "x": 1}}}, "invalid_request", "params.a.x"),
        ({"template": "{{ b }}"}, "template_error", "'b' is undefined"),
        ({"template": "{{ b"}, "template_syntax", "unexpected end of template"),
        ({"template": "x" * 65_537}, "kernel_limit", "the template has 65537 characters"),
        ({"template": "{{ ''.__class__ }}"}, "template_error", "a text has no '__class__'"),
        ({"template": "{% for i in range(4096) %}{{ 'a' * 999 }}{% endfor %}"}, "template_limit", "writes more than"),
        ({"template": "a\nfn main( {"}, "kernel_syntax", "in the rendered text: "),
        ({"template": "@compute @workgroup_size(1)\nfn main() { x(); }"}, "kernel_compile", "in the rendered text"),
        ({"template": "#version 450\nvoid main() {}"}, "kernel_language", "in the rendered text: GLSL is not taken"),
        ({"glsl": "void main() {}"}, "kernel_language", "GLSL is not taken: nothing can guard it; write WGSL"),
        ({"spirv": "AwIjBw=="}, "kernel_language", "SPIR-V is not taken"),
        ({"source": [0x07230203, 65536]}, "kernel_language", "SPIR-V is not taken"),
        ({"source": "#version 450\nvoid main() {}"}, "kernel_language", "GLSL is not taken"),
        ({"source": "AwIjB" + "w" * 90_000}, "kernel_language", "SPIR-V is not taken"),
    ],
)  # fmt: skip
def test_a_kernel_that_cannot_be_stored_says_why(
    http: httpx2.Client, body: Any, code: str, says: str
) -> None:
    answer = http.post("/api/kernels", json={"name": "refused", **body})
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (422, code), problem
    assert says in problem["detail"]
    assert http.get("/api/kernels/refused").status_code == 404


def test_an_error_of_the_rendered_text_shows_that_text(http: httpx2.Client) -> None:
    template = "{% for i in range(3) %}\n// {{ i }}\n{% endfor %}\n@compute @workgroup_size(1)\nfn main() { {{ a }} }"
    params = {"a": {"type": "string", "choices": ["", "let x = ;"], "default": "let x = ;"}}
    problem = add(http, "bad", template, params).json()
    assert (problem["line"], problem["snippet"].split("\n")[0]) == (5, "fn main() { let x = ; }")


def test_the_example_of_the_examples_reduces_blocks(http: httpx2.Client) -> None:
    template = (EXAMPLES / "block_reduce.wgsl.j2").read_text()
    params = json.loads((EXAMPLES / "block_reduce.json").read_text())
    assert add(http, "reduce", template, params).status_code == 201
    data = [(7 * n * n + 3) % 101 for n in range(32)]
    for operation, reference in (("sum", sum), ("greatest", max), ("least", min)):
        body = {
            "inputs": {
                "x": {"$tensor": {"shape": [32], "dtype": "u32", "data": data}},
                "y": {"shape": [4], "dtype": "u32"},
            },
            "workgroups": [4],
            "params": {"tile": 8, "type": "u32", "operation": operation},
        }
        answer = http.post("/api/kernels/reduce/dispatch", json=body)
        assert numbers(answer) == [reference(data[n : n + 8]) for n in (0, 8, 16, 24)]


# ---------------------------------------------------------------------- in scripts
def run(http: httpx2.Client, script: str) -> Any:
    answer = http.post("/api/runs", json={"script": script}, headers={"Prefer": "wait=60"}).json()
    assert answer["status"] in ("succeeded", "failed"), answer
    return answer["result"] if answer["error"] is None else answer["error"]


def test_scripts_give_template_params(http: httpx2.Client, work: Counter[str]) -> None:
    add(http, "scale", SCALE + "// scripts")
    work.clear()
    script = (
        "y = kernels.output(4, 'u32')\n"
        "result = [kernels.run('scale', y=y, template_params={'type': 'u32', 'factor': n}).tolist()\n"
        "          for n in (2, 3, 2)]"
    )
    assert run(http, script) == [[2, 4, 6, 8], [3, 6, 9, 12], [2, 4, 6, 8]]
    assert work == dict.fromkeys(ONCE, 2)
    error = run(http, "\nkernels.run('scale', y=kernels.output(4), template_params={'tile': 99})")
    assert (error["code"], error["line"]) == ("template_params", 2)
    assert "params.tile: 99 is not an int from 1 to 64" in error["detail"]
    assert (
        "not an int from 1 to 64"
        in run(http, "kernels.run('scale', template_params={'tile': [1]})")["detail"]
    )


# ---------------------------------------------------------------------- the cache
class Machines:
    """A pool and a compiler that take their time, and count."""

    def __init__(self) -> None:
        self.rendered: Counter[str] = Counter()
        self.compiled: list[str] = []

    async def render(self, template: str, params: dict[str, Any]) -> str:
        self.rendered[str(params)] += 1
        await asyncio.sleep(0)
        return f"// {params}\n@compute @workgroup_size(1) fn main() {{ }}"

    async def reflect(self, source: str) -> Reflection:
        return reflect(source)

    def check(self, reflection: Reflection, owner: str) -> None:
        """Nothing is in quarantine."""

    async def add_kernel(self, owner: str, digest: str, reflection: Reflection, warm: bool) -> None:
        for _ in range(10):
            await asyncio.sleep(0)
        self.compiled.append(digest)

    async def ready(self) -> None:
        pass


def test_a_set_that_many_ask_for_at_once_is_built_once_and_the_cache_is_bounded() -> None:
    async def scenario() -> Machines:
        machines = Machines()
        builder = Builder(machines, machines, machines.ready)  # type: ignore[arg-type]
        template = Template("", {"n": Parameter(type="int", default=1)})
        builds = await asyncio.gather(*(builder.of_template("me", template, {"n": 1}) for _ in range(50)))
        assert len({build.hash for build in builds}) == 1
        assert machines.rendered["{'n': 1}"] == len(machines.compiled) == 1
        for n in range(2, CACHED + 1):
            await builder.of_template("me", template, {"n": n})
        await builder.of_template("me", template, {"n": 1})
        await builder.of_template("me", template, {"n": CACHED + 1})
        await builder.of_template("me", template, {"n": 1})
        assert machines.rendered["{'n': 1}"] == 1, "it is not the longest unused one"
        await builder.of_template("me", template, {"n": 2})
        assert machines.rendered["{'n': 2}"] == 2
        assert len(builder._kept) == CACHED
        assert not builder._under_way, "no lock outlives its build"
        return machines

    asyncio.run(scenario())


# ---------------------------------------------------------------------- older guards
def unguard(running: Any, name: str, reflection: bytes) -> None:
    of_name = sa.update(tables.kernels).where(tables.kernels.c.name == name)
    running.beside(lambda db: db.execute(of_name.values(reflection=reflection)))
    running.server.runtime.kernels._cache.clear()


def stored(running: Any, name: str) -> Reflection:
    of_name = sa.select(tables.kernels.c.reflection).where(tables.kernels.c.name == name)
    data = running.beside(lambda db: db.execute(of_name).scalar_one())
    return msgspec.msgpack.decode(data, type=Reflection)


def old(reflection: Reflection, form: str) -> bytes:
    assert reflection.guard is not None
    match form:
        case "no guard":
            return msgspec.msgpack.encode(msgspec.structs.replace(reflection, guard=None))
        case "a guard without a version":
            guard = msgspec.to_builtins(reflection.guard)
            del guard["version"]
            return msgspec.msgpack.encode({**msgspec.to_builtins(reflection), "guard": guard})
        case "another version":
            guard = msgspec.structs.replace(reflection.guard, version=VERSION + 1)
            return msgspec.msgpack.encode(msgspec.structs.replace(reflection, guard=guard))
    return msgspec.msgpack.encode({"source": 5})


@pytest.mark.parametrize("form", ["no guard", "a guard without a version", "another version", "another form"])
@pytest.mark.parametrize("kind", ["source", "template"])
def test_a_kernel_of_an_older_guard_is_built_anew_when_next_used(
    http: httpx2.Client, running: Any, work: Counter[str], form: str, kind: str
) -> None:
    name = f"old-{kind}-{form.replace(' ', '-')}"
    text = {"source": PLAIN} if kind == "source" else {"template": SCALE, "params": PARAMS}
    digest = http.post("/api/kernels", json={"name": name, **text}).json()["hash"]
    unguard(running, name, old(stored(running, name), form))
    work.clear()
    for _ in range(2):
        assert numbers(dispatch(http, name, {})) == [1, 2, 3, 4]
    assert work["reflect"] <= 1
    assert is_current(stored(running, name))
    kernel = http.get(f"/api/kernels/{name}").json()
    assert (kernel["hash"], len(kernel["bindings"])) == (digest, 1)


def test_posting_an_old_kernel_again_builds_it_anew(http: httpx2.Client, running: Any) -> None:
    source = "@compute @workgroup_size(1) fn main() { } // posted again"
    first = http.post("/api/kernels", json={"name": "again", "source": source}).json()
    unguard(running, "again", old(stored(running, "again"), "no guard"))
    again = http.post("/api/kernels", json={"name": "again", "source": source})
    assert (again.status_code, again.json()["created_at"]) == (200, first["created_at"])
    assert is_current(stored(running, "again"))
    assert first["hash"] == hashlib.sha256(source.encode()).hexdigest()
