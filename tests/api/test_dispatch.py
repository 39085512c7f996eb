"""Dispatches in full: overrides, sizes, steps over shared arrays, fuel, byte strings; by HTTP and in scripts alike."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import httpx2
import numpy as np
import pytest

KERNEL = """
@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read_write> dst: array<u32>;
@group(0) @binding(2) var<uniform> more: u32;
@group(0) @binding(3) var<storage, read_write> counted: array<atomic<u32>, 4>;
override scale: u32 = 2u;
@id(4) override shift: i32;
@compute @workgroup_size(64)
fn double(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < arrayLength(&dst)) { dst[id.x] = src[id.x] * scale; }
}
@compute @workgroup_size(64)
fn add(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < arrayLength(&dst)) { dst[id.x] += more + u32(shift); }
}
@compute @workgroup_size(4, 2)
fn count(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    atomicAdd(&counted[0], 1u);
    atomicMax(&counted[1], id.x); atomicMax(&counted[2], id.y); atomicMax(&counted[3], id.z);
}
@compute @workgroup_size(1)
fn turn(@builtin(global_invocation_id) id: vec3<u32>) {
    var x = id.x;
    for (var i = 0u; i < more; i++) { x = x * 1664525u + 1013904223u; }
    dst[id.x % arrayLength(&dst)] = x;
}
"""
STRINGS = """
@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> text_offsets: array<u32>;
@group(0) @binding(2) var<storage, read_write> lengths: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x + 1u < arrayLength(&text_offsets)) {
        lengths[id.x] = (text_offsets[id.x + 1u] - text_offsets[id.x]) * 1000u + (text[0] & 0xffu);
    }
}
"""
SCRIPT = """
import kernels

def main(name, inputs, options):
    given = {}
    for key, value in inputs.items():
        if isinstance(value, dict) and "dtype" in value:
            value = kernels.output(value["shape"], value["dtype"], temporary=value.get("temporary", False))
        given[key] = value
    made = kernels.run(name, inputs=given, **options)
    if made is None or not isinstance(made, dict):
        return made
    return dict(made)
"""
Dispatch = Callable[..., Any]


@pytest.fixture(scope="module", autouse=True)
def _kernels(http: httpx2.Client) -> None:
    for name, source in (("all", KERNEL), ("strings", STRINGS)):
        answer = http.post("/api/kernels", json={"name": name, "source": source})
        assert answer.status_code in (200, 201), answer.text


def by_http(http: httpx2.Client, name: str, inputs: dict[str, Any], **options: Any) -> Any:
    answer = http.post(f"/api/kernels/{name}/dispatch", json={"inputs": inputs, **options})
    if answer.status_code != 200:
        return answer.json()
    return {key: value["$tensor"]["data"] for key, value in answer.json()["outputs"].items()}


def by_script(http: httpx2.Client, name: str, inputs: dict[str, Any], **options: Any) -> Any:
    given = {"name": name, "inputs": inputs, "options": options}
    answer = http.post(
        "/api/runs", headers={"Prefer": "wait=30"}, json={"script": SCRIPT, "inputs": given}
    ).json()
    if answer["status"] != "succeeded":
        return answer["error"]
    made = answer["result"]
    if made is None:
        return {}
    return (
        {"": made["$tensor"]["data"]}
        if "$tensor" in made
        else {k: v["$tensor"]["data"] for k, v in made.items()}
    )


@pytest.fixture(params=[by_http, by_script])
def dispatch(request: pytest.FixtureRequest, http: httpx2.Client) -> Dispatch:
    """What a dispatch gives by array, or its problem. A script gets its only tensor without a name."""

    def run(name: str, inputs: dict[str, Any], **options: Any) -> Any:
        made = request.param(http, name, inputs, **options)
        return next(iter(made.values())) if "code" not in made and len(made) == 1 else made

    return run


def tensor(*numbers: int) -> dict[str, Any]:
    return {"$tensor": {"shape": [len(numbers)], "dtype": "u32", "data": list(numbers)}}


def output(*shape: int, **more: Any) -> dict[str, Any]:
    return {"shape": list(shape), "dtype": "u32", **more}


def test_overrides_are_given_by_name(dispatch: Dispatch) -> None:
    inputs = {"src": tensor(1, 2, 3), "dst": output(3)}
    assert dispatch("all", inputs, entry_point="double") == [2, 4, 6]
    for scale in (5, 7, 5):
        assert dispatch("all", inputs, entry_point="double", overrides={"scale": scale}) == [
            scale,
            2 * scale,
            3 * scale,
        ]


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({}, "the override 'shift' (i32) was given no value, and has no default"),
        ({"shift": 1.5}, "the override 'shift' takes i32, which cannot hold 1.5"),
        ({"shift": 1 << 40}, "the override 'shift' takes i32, which cannot hold 1099511627776"),
        ({"shift": {"$float": "NaN"}}, "the override 'shift' takes i32, which cannot hold nan"),
        ({"shift": {"$float": "Infinity"}}, "the override 'shift' takes i32, which cannot hold inf"),
        ({"shift": True}, "the override 'shift' takes i32, not True"),
        ({"shift": "1"}, "the override 'shift' takes i32, not '1'"),
        ({"shift": 1, "zoom": 2}, "the kernel has no override 'zoom'"),
    ],
)
def test_an_override_that_does_not_fit_is_refused_by_name(
    dispatch: Dispatch, overrides: dict[str, Any], message: str
) -> None:
    problem = dispatch("all", {"dst": output(3), "more": 1}, entry_point="add", overrides=overrides)
    assert (problem["code"], problem["detail"]) == ("override_mismatch", message)


def test_values_are_tried_by_the_compiler_before_the_device_sees_them(http: httpx2.Client) -> None:
    source = (
        "@group(0) @binding(0) var<storage, read_write> o: array<u32>; override by: u32 = 1u;\n"
        "@compute @workgroup_size(1) fn main() { o[0] = 10u / by; }"
    )
    assert http.post("/api/kernels", json={"name": "division", "source": source}).status_code == 201
    problem = by_http(http, "division", {"o": output(1)}, overrides={"by": 0})
    assert problem["code"] == "kernel_compile"
    assert "Division by zero" in problem["detail"]
    assert by_http(http, "division", {"o": output(1)}, overrides={"by": 5}) == {"o": [2]}


def test_a_dispatch_has_only_so_many_sets_of_overrides(http: httpx2.Client) -> None:
    step = {"entry_point": "double"}
    steps = [{**step, "overrides": {"scale": number}} for number in range(65)]
    problem = by_http(http, "all", {"src": tensor(1), "dst": output(1)}, steps=steps)
    assert problem["code"] == "invalid_request"
    assert "65 different sets of overrides; the limit is 64" in problem["detail"]


@pytest.mark.parametrize(
    ("size", "counted"),
    [
        ({"workgroups": [2]}, [16, 7, 1, 0]),
        ({"workgroups": [1, 2, 3]}, [48, 3, 3, 2]),
        ({"threads": [5, 1]}, [16, 7, 1, 0]),
        ({"threads": [4, 3, 2]}, [32, 3, 3, 1]),
        ({"threads": [0]}, [0, 0, 0, 0]),
        ({"over": "counted"}, [8, 3, 1, 0]),
        ({"threads": [70_000 * 4]}, [560_000, 279_999, 1, 0]),
        ({}, [8, 3, 1, 0]),
    ],
)
def test_a_size_is_given_by_workgroups_threads_or_a_binding(
    dispatch: Dispatch, size: dict[str, Any], counted: list[int]
) -> None:
    assert dispatch("all", {"counted": output(4)}, entry_point="count", **size) == counted


def test_over_and_no_size_mean_a_thread_an_element_by_http_and_in_scripts(dispatch: Dispatch) -> None:
    numbers = list(range(1000))
    for size in ({}, {"over": "src"}, {"over": "dst"}):
        made = dispatch("all", {"src": tensor(*numbers), "dst": output(1000)}, entry_point="double", **size)
        assert made == [2 * number for number in numbers]


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        ({"workgroups": [1], "threads": [1]}, "invalid_request", "workgroups and threads both say"),
        ({"threads": [1], "over": "dst"}, "invalid_request", "threads and over both say"),
        ({"threads": [-1]}, "invalid_request", "threads [-1] are no counts"),
        ({"threads": [1 << 33]}, "invalid_request", "are no counts"),
        ({"threads": [(1 << 31) + 1]}, "dispatch_size", "workgroups.x"),
        ({"threads": [1, 1, 1, 1]}, "invalid_request", "threads"),
        (
            {"over": "more"},
            "binding_mismatch",
            "over names 'more', which is no array of entry point 'double'",
        ),
        ({"over": "counted"}, "binding_mismatch", "over names 'counted'"),
        ({"over": "nothing"}, "binding_mismatch", "over names 'nothing'"),
        ({"steps": []}, "invalid_request", "steps"),
        ({"steps": [{"entry_point": "double"}]}, "invalid_request", "entry_point is given beside steps"),
        ({"fuel": 0}, "invalid_request", "fuel"),
        (
            {"outputs": ["src"]},
            "binding_mismatch",
            "'src' is to be an output or temporary, and nothing writes it",
        ),
    ],
)
def test_a_request_that_contradicts_itself_is_refused(
    dispatch: Dispatch, options: dict[str, Any], code: str, says: str
) -> None:
    inputs = {"src": tensor(1), "dst": output(1)}
    problem = dispatch("all", inputs, **{"entry_point": "double", **options})
    assert problem["code"] == code
    assert says in problem["detail"]


@pytest.mark.parametrize("size", [{"indirect": {"$tensor": {"id": "x"}}}, {"steps": [{"indirect": "src"}]}])
def test_an_indirect_size_is_refused_by_name(http: httpx2.Client, size: dict[str, Any]) -> None:
    problem = by_http(http, "all", {"src": tensor(1), "dst": output(1)}, **size)
    assert problem["code"] == "invalid_request"
    assert "indirect: a size that lies on the device is not read" in problem["detail"]


def test_steps_share_arrays_and_answer_with_what_is_not_temporary(dispatch: Dispatch) -> None:
    inputs = {"a": tensor(1, 2, 3), "b": output(3, temporary=True), "more": 10}
    there, back = {"src": "a", "dst": "b"}, {"src": "b", "dst": "a"}
    steps = [
        {"entry_point": "double", "bind": there},
        {"entry_point": "double", "bind": back, "overrides": {"scale": 3}},
        {"entry_point": "add", "bind": {"dst": "a"}, "overrides": {"shift": 0}, "threads": [2]},
        {
            "entry_point": "add",
            "bind": {"dst": "a"},
            "overrides": {"shift": -1},
            "inputs": {"more": 101},
            "over": "dst",
        },
    ]
    assert dispatch("all", inputs, steps=steps) == [1 * 6 + 110, 2 * 6 + 110, 3 * 6 + 110]


def test_outputs_name_what_comes_back(dispatch: Dispatch) -> None:
    inputs = {"a": tensor(1, 2), "b": output(2), "c": output(2)}
    steps = [
        {"entry_point": "double", "bind": {"src": "a", "dst": "b"}},
        {"entry_point": "double", "bind": {"src": "b", "dst": "c"}},
    ]
    assert dispatch("all", inputs, steps=steps) == {"b": [2, 4], "c": [4, 8]}
    assert dispatch("all", inputs, steps=steps, outputs=["c"]) == [4, 8]
    assert dispatch("all", inputs, steps=steps, outputs=[]) == {}


@pytest.mark.parametrize(
    ("inputs", "step", "code", "says"),
    [
        (
            {},
            {"bind": {"dst": "a", "src": "a"}},
            "binding_mismatch",
            "bindings 'src' and 'dst' have the same array",
        ),
        ({}, {"bind": {"dst": "zz"}}, "binding_mismatch", "steps[1]: binding 'src' was given nothing"),
        ({}, {"bind": {"from": "a"}}, "binding_mismatch", "no binding 'from'"),
        ({"zz": [1]}, {"bind": {"src": "a", "dst": "b"}}, "binding_mismatch", "no binding 'zz'"),
        (
            {},
            {"bind": {"src": "a", "dst": "b"}, "inputs": {"src": [1]}},
            "binding_mismatch",
            "'src' is an array",
        ),
        ({}, {"entry_point": "no"}, "unknown_kernel", "steps[1]: the kernel has no entry point 'no'"),
        (
            {},
            {"entry_point": "add", "bind": {"dst": "b"}},
            "override_mismatch",
            "steps[1]: the override 'shift'",
        ),
        ({"b": {"shape": [2], "dtype": "u32", "temporary": 1}}, {}, "invalid_request", "inputs.b.temporary"),
    ],
)
def test_a_step_that_does_not_fit_is_refused_by_name(
    http: httpx2.Client, inputs: dict[str, Any], step: dict[str, Any], code: str, says: str
) -> None:
    given = {"a": tensor(1, 2), "b": output(2), **inputs}
    first = {"entry_point": "double", "bind": {"src": "a", "dst": "b"}}
    problem = by_http(http, "all", given, steps=[first, {"entry_point": "double", **step}])
    assert problem["code"] == code, problem
    assert says in problem["detail"]


def test_a_dispatch_has_only_so_many_steps(http: httpx2.Client) -> None:
    inputs = {"dst": output(2), "more": 1}
    step = {"entry_point": "add", "overrides": {"shift": 0}}
    assert by_http(http, "all", inputs, steps=[step] * 1000) == {"dst": [1000, 1000]}
    assert by_http(http, "all", inputs, steps=[step] * 1001)["code"] == "invalid_request"


def test_the_uniforms_of_all_steps_have_a_limit(http: httpx2.Client) -> None:
    source = (
        "@group(0) @binding(0) var<storage, read_write> o: array<vec4<u32>>;\n"
        "@group(0) @binding(1) var<uniform> table: array<vec4<u32>, 4096>;\n"
        "@compute @workgroup_size(1) fn main() { o[0] += table[7]; }"
    )
    assert http.post("/api/kernels", json={"name": "large", "source": source}).status_code == 201
    inputs = {"o": output(4), "table": [[1, 2, 3, n] for n in range(4096)]}
    assert by_http(http, "large", inputs, steps=[{}] * 256) == {"o": [256, 512, 768, 7 * 256]}
    problem = by_http(http, "large", inputs, steps=[{}] * 257)
    assert problem["code"] == "invalid_request"
    assert "the uniforms of all steps have more than 16777216 bytes" in problem["detail"]


def test_usage_counts_dispatches_threads_and_bytes(http: httpx2.Client) -> None:
    body = {"inputs": {"src": tensor(1, 2), "dst": output(2)}, "steps": [{"entry_point": "double"}] * 3}
    usage = http.post("/api/kernels/all/dispatch", json=body).json()["usage"]
    assert (usage["dispatches"], usage["threads"], usage["bytes"]) == (3, 3 * 64, 3 * 16)
    assert usage["device_ms"] > 0


def test_the_least_of_the_budgets_of_fuel_wins_and_is_named(
    start: Callable[..., Any], http: httpx2.Client
) -> None:
    problem = by_http(http, "all", {"dst": output(1), "more": 3000}, entry_point="turn", fuel=1000)
    assert problem["code"] == "fuel_exhausted"
    assert "1,000, what the request asks for" in problem["detail"]
    with start(adapter="cpu", max_fuel=900) as running:
        clients = [running.http, running.client_for("small", {"kernels": ["*"], "fuel": 500})]
        for client, least in zip(
            clients, ("900, the server's max_fuel", "500, the key's grants.fuel"), strict=True
        ):
            client.post("/api/kernels", json={"name": "all", "source": KERNEL})
            problem = by_http(client, "all", {"dst": output(1), "more": 3000}, entry_point="turn", fuel=1000)
            assert least in problem["detail"]
            limits = {"fuel": 400}
            script = (
                "import kernels\n"
                "kernels.run('all', dst=kernels.output(1, 'u32'), more=3000, entry_point='turn', fuel=1000)"
            )
            answer = client.post(
                "/api/runs", headers={"Prefer": "wait=30"}, json={"script": script, "limits": limits}
            ).json()
            assert answer["limits"]["fuel"] == 400
            assert "400, the run's limits.fuel" in answer["error"]["detail"]
        too_much = {"script": "1", "limits": {"fuel": 1000}}
        assert running.http.post("/api/runs", json=too_much).json()["code"] == "limit_too_high"


def test_byte_strings_make_the_bytes_and_where_each_begins(dispatch: Dispatch, http: httpx2.Client) -> None:
    texts = [{"$bytes": base64.b64encode(b"hello").decode()}, {"$bytes": ""}, "größe"]
    assert dispatch("strings", {"text": texts, "lengths": output(3)}) == [5104, 104, 7104]
    assert dispatch("strings", {"text": ["", ""], "lengths": output(2)}) == [0, 0]
    problem = dispatch("all", {"src": texts, "dst": output(3)}, entry_point="double")
    assert (problem["code"], problem["detail"]) == (
        "binding_mismatch",
        "the kernel has no binding 'src_offsets'",
    )


def test_a_run_s_events_tell_how_far_a_long_dispatch_is(http: httpx2.Client) -> None:
    script = (
        "import kernels\n"
        "kernels.run('all', dst=kernels.output(64, 'u32'), more=4000, entry_point='turn', threads=60_000)\n"
        "progress(0.5, part=1)\n"
        "result = 1"
    )
    done = http.post("/api/runs", headers={"Prefer": "wait=60"}, json={"script": script}).json()
    assert done["status"] == "succeeded", done
    lines = http.get(f"/api/runs/{done['id']}/events").text.splitlines()
    told = [
        json.loads(lines[number + 1].removeprefix("data: "))
        for number, line in enumerate(lines)
        if line == "event: progress"
    ]
    assert told[-1] == {"fraction": 0.5, "values": {"part": 1}}
    assert len(told) > 1
    assert all(each["kernel"] == "all" and 0 < each["fraction"] < 1 for each in told[:-1])
    fractions = [each["fraction"] for each in told[:-1]]
    assert fractions == sorted(fractions)


def test_a_kernel_tells_of_its_overrides_and_what_each_entry_point_reads_and_writes(
    http: httpx2.Client,
) -> None:
    kernel = http.get("/api/kernels/all").json()
    assert kernel["overrides"] == [
        {"name": "scale", "type": "u32", "default": "2u", "id": None},
        {"name": "shift", "type": "i32", "default": None, "id": 4},
    ]
    entries = {entry["name"]: entry for entry in kernel["entry_points"]}
    assert entries["double"]["reads"] == ["src", "dst"]
    assert entries["double"]["writes"] == ["dst"]
    assert entries["double"]["overrides"] == ["scale"]
    assert entries["add"] == {
        "name": "add",
        "workgroup_size": [64, 1, 1],
        "reads": ["dst", "more"],
        "writes": ["dst"],
        "overrides": ["shift"],
    }


def test_the_numbers_of_a_long_pipeline_are_those_of_numpy(http: httpx2.Client) -> None:
    numbers = np.arange(300, dtype=np.uint32)
    steps: list[dict[str, Any]] = []
    for turn in range(60):
        src, dst = ("a", "b") if turn % 2 == 0 else ("b", "a")
        steps.append({"entry_point": "double", "bind": {"src": src, "dst": dst}, "overrides": {"scale": 3}})
        steps.append(
            {
                "entry_point": "add",
                "bind": {"dst": dst},
                "inputs": {"more": turn},
                "overrides": {"shift": -1},
            }
        )
    made = by_http(http, "all", {"a": tensor(*range(300)), "b": output(300, temporary=True)}, steps=steps)
    for turn in range(60):
        numbers = numbers * np.uint32(3) + np.uint32(turn) + np.uint32(0xFFFFFFFF)
    assert made == {"a": numbers.tolist()}
