"""`/api/kernels`: stored once, named, dispatched with every argument checked."""

from __future__ import annotations

import hashlib
import re
from typing import Any

import httpx2
import pytest

from api.kernels.arguments import spread
from ops.graph import TensorRef, TensorType
from shaders.reflection import BindingInfo, EntryPoint, Reflection

DOUBLE = """
struct Params { factor: u32, offset: u32 }
@group(0) @binding(0) var<storage, read> numbers: array<u32>;
@group(0) @binding(1) var<storage, read_write> products: array<u32>;
@group(0) @binding(2) var<uniform> params: Params;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < arrayLength(&numbers)) { products[id.x] = numbers[id.x] * params.factor + params.offset; }
}
"""
COUNT = """
@group(0) @binding(0) var<storage, read_write> counters: array<u32, 2>;
@group(0) @binding(1) var<storage, read_write> values: array<f32>;
@compute @workgroup_size(1) fn first() { counters[0] += 1u; }
@compute @workgroup_size(1) fn second() { values[0] += 1.0; }
"""


def tensor(data: list[Any], dtype: str = "u32", shape: list[int] | None = None) -> dict[str, Any]:
    return {"$tensor": {"shape": shape or [len(data)], "dtype": dtype, "data": data}}


def add(http: httpx2.Client, name: str, source: str) -> httpx2.Response:
    return http.post("/api/kernels", json={"name": name, "source": source})


def test_a_new_source_answers_201_and_the_same_again_200(http: httpx2.Client) -> None:
    first = add(http, "twice", DOUBLE)
    assert first.status_code == 201
    kernel = first.json()
    assert kernel["hash"] == hashlib.sha256(DOUBLE.encode()).hexdigest()
    assert kernel["entry_points"] == [
        {
            "name": "main",
            "workgroup_size": [64, 1, 1],
            "reads": ["numbers", "products", "params"],
            "writes": ["products"],
            "overrides": [],
        }
    ]
    numbers, products, params = kernel["bindings"]
    assert (numbers["name"], numbers["kind"], numbers["access"]) == ("numbers", "storage", "read")
    assert (products["access"], products["type"]) == ("read_write", "array<u32>")
    assert (params["group"], params["binding"], params["kind"]) == (0, 2, "uniform")
    again = add(http, "twice", DOUBLE)
    assert (again.status_code, again.json()["hash"]) == (200, kernel["hash"])


def test_a_kernel_says_how_its_bindings_lie_in_memory(http: httpx2.Client) -> None:
    source = (
        "struct In { a: f32, b: vec3<f32> }\nstruct All { count: u32, all: array<In> }\n"
        "@group(0) @binding(0) var<storage, read_write> s: All;\n"
        "@compute @workgroup_size(1) fn main() { s.count = 1u; }"
    )
    (binding,) = http.post("/api/kernels", json={"name": "laid", "source": source}).json()["bindings"]
    assert (binding["element"], binding["min_size"], binding["stride"]) == (None, 48, 32)
    count, all_ = binding["fields"]
    assert (count["offset"], count["size"]) == (0, 4)
    assert (all_["type"], all_["offset"], all_["stride"]) == ("array<In>", 16, 32)
    assert [(each["name"], each["offset"], each["size"]) for each in all_["fields"]] == [
        ("a", 0, 4),
        ("b", 16, 12),
    ]


def test_a_name_moves_to_a_new_source_and_the_old_one_can_be_pinned(http: httpx2.Client) -> None:
    old = add(http, "moving", DOUBLE).json()["hash"]
    new = add(http, "moving", DOUBLE + "\n").json()["hash"]
    assert new != old
    assert http.get("/api/kernels/moving").json()["hash"] == new
    assert http.get(f"/api/kernels/moving@{old}").json()["source"] == DOUBLE
    assert http.get(f"/api/kernels/admin/moving@{old[:12]}").json()["hash"] == old
    back = add(http, "moving", DOUBLE)
    assert (back.status_code, http.get("/api/kernels/moving").json()["hash"]) == (200, old)
    assert http.get("/api/kernels/moving@zzzzzzzz").json()["code"] == "kernel_not_found"
    versions = http.get("/api/kernels/moving").json()["versions"]
    assert [each["hash"] for each in versions] == [new, old]


def test_a_dispatch_answers_with_every_written_binding(http: httpx2.Client) -> None:
    add(http, "affine", DOUBLE)
    answer = http.post(
        "/api/kernels/affine/dispatch",
        json={
            "inputs": {
                "numbers": tensor([1, 2, 3]),
                "products": {"shape": [3], "dtype": "u32"},
                "params": {"factor": 10, "offset": 7},
            },
            "workgroups": [1, 1, 1],
        },
    )
    assert answer.status_code == 200, answer.text
    output = answer.json()["outputs"]["products"]["$tensor"]
    assert (output["shape"], output["dtype"], output["data"]) == ([3], "u32", [17, 27, 37])
    assert answer.json()["usage"]["dispatches"] == 1
    stored = http.get(f"/api/tensors/{output['id']}/data").json()["$tensor"]
    assert stored["data"] == [17, 27, 37]


def test_without_workgroups_there_is_a_thread_an_element_that_is_written(http: httpx2.Client) -> None:
    add(http, "affine", DOUBLE)
    inputs = {
        "numbers": tensor(list(range(5000))),
        "products": {"shape": [50, 100], "dtype": "u32"},
        "params": {"factor": 2, "offset": 1},
    }
    answer = http.post("/api/kernels/affine/dispatch", json={"inputs": inputs})
    assert answer.status_code == 200, answer.text
    assert answer.json()["outputs"]["products"]["$tensor"]["data"] == list(range(1, 10_001, 2))


F32 = BindingInfo(0, 0, "y", "storage", "read_write", "array<f32>", "f32", 4, 4)
VEC4 = BindingInfo(0, 1, "v", "storage", "read_write", "array<vec4<f32>>", "f32", 16, 16)
READ = BindingInfo(0, 2, "x", "storage", "read", "array<f32>", "f32", 4, 4)
FIXED = BindingInfo(0, 3, "f", "storage", "read_write", "array<f32, 4>", "f32", 16, 0)


@pytest.mark.parametrize(
    ("bindings", "given", "groups"),
    [
        ([F32], {"y": TensorType((130,), "f32")}, 3),
        ([F32], {"y": TensorType((128,), "f32")}, 2),
        ([F32], {"y": TensorType((0,), "f32")}, 1),
        ([F32, READ], {"y": TensorType((64,), "f32"), "x": TensorType((6400,), "f32")}, 1),
        ([F32, VEC4], {"y": TensorType((64,), "f32"), "v": TensorRef(1, (128, 4), "f32")}, 2),
        ([READ], {"x": TensorRef(1, (6400,), "f32")}, 100),
        ([FIXED, READ], {"f": TensorType((4,), "f32"), "x": TensorRef(1, (128,), "f32")}, 2),
        ([FIXED], {}, 1),
    ],
)
def test_the_workgroups_of_a_dispatch_that_names_none(
    bindings: list[BindingInfo], given: dict[str, TensorRef | TensorType], groups: int
) -> None:
    entry = EntryPoint("main", (64, 1, 1), tuple(info.name for info in bindings))
    assert spread(Reflection("", (entry,), tuple(bindings)), entry, given) == (groups, 1, 1)


def test_threads_beyond_what_a_dimension_can_have_go_on_along_the_next() -> None:
    entry = EntryPoint("main", (64, 1, 1), ("y",))
    given = {"y": TensorType((5 << 30,), "f32")}
    assert spread(Reflection("", (entry,), (F32,)), entry, given) == (1 << 25, 3, 1)


def test_a_list_of_numbers_is_an_array_of_the_kernels_own_type(http: httpx2.Client) -> None:
    add(http, "affine", DOUBLE)
    inputs = {
        "numbers": [[1, 2], [3, 4]],
        "products": {"shape": [4], "dtype": "u32"},
        "params": {"factor": 2, "offset": 1},
    }
    answer = http.post("/api/kernels/affine/dispatch", json={"inputs": inputs}).json()
    assert answer["outputs"]["products"]["$tensor"]["data"] == [3, 5, 7, 9]
    add(http, "count", COUNT)
    step = {"entry_point": "first", "bind": {"counters": "mine"}}
    body = {"inputs": {"mine": [5, 6]}, "steps": [step, step]}
    outputs = http.post("/api/kernels/count/dispatch", json=body).json()["outputs"]
    assert outputs["mine"]["$tensor"]["data"] == [7, 6]


def test_a_written_binding_starts_from_the_tensor_it_is_given(http: httpx2.Client) -> None:
    add(http, "count", COUNT)
    body = {"inputs": {"counters": tensor([5, 6])}, "workgroups": [1], "entry_point": "first"}
    first = http.post("/api/kernels/count/dispatch", json=body).json()["outputs"]["counters"]["$tensor"]
    assert first["data"] == [6, 6]
    body["inputs"] = {"counters": {"$tensor": {"id": first["id"]}}}
    second = http.post("/api/kernels/count/dispatch", json=body).json()["outputs"]
    assert second["counters"]["$tensor"]["data"] == [7, 6]
    assert http.get(f"/api/tensors/{first['id']}/data").json()["$tensor"]["data"] == [6, 6]


def test_a_written_binding_of_fixed_size_may_be_left_out_and_starts_at_zero(http: httpx2.Client) -> None:
    add(http, "count", COUNT)
    body = {"workgroups": [1, 1, 1], "entry_point": "first"}
    outputs = http.post("/api/kernels/count/dispatch", json=body).json()["outputs"]
    assert outputs["counters"]["$tensor"]["data"] == [1, 0]


def test_what_an_output_is_written_as_is_told_where_there_is_none(http: httpx2.Client) -> None:
    add(http, "affine", DOUBLE)
    inputs = {"numbers": tensor([1]), "params": {"factor": 1, "offset": 0}}
    problem = http.post("/api/kernels/affine/dispatch", json={"inputs": inputs}).json()
    assert problem["hint"].endswith('in a script kernels.output(3, "u32"), on the command line u32:3.')
    problem = http.post("/api/kernels/affine/dispatch", json={"inputs": {**inputs, "numbers": 5}}).json()
    assert "kernels.output" not in problem["hint"]


@pytest.mark.parametrize(
    ("inputs", "code", "says"),
    [
        ({}, "binding_mismatch", "'numbers' was given nothing"),
        ({"numbers": tensor([1])}, "binding_mismatch", "'products' was given nothing"),
        ({"other": tensor([1])}, "binding_mismatch", "no binding 'other'"),
        ({"numbers": tensor([1.0], "f32")}, "binding_mismatch", "'numbers'"),
        (
            {"numbers": {"shape": [1], "dtype": "u32"}},
            "binding_mismatch",
            "'numbers' was given the shape of an output",
        ),
        ({"numbers": 5}, "binding_mismatch", "'numbers' was given plain values"),
        (
            {"numbers": tensor([1]), "products": {"shape": [1], "dtype": "f32"}},
            "binding_mismatch",
            "'products'",
        ),
        (
            {"numbers": tensor([1]), "products": {"shape": [0], "dtype": "u32"}},
            "binding_mismatch",
            "'products'",
        ),
        ({"products": {"shape": [-1], "dtype": "u32"}}, "malformed_tensor", "inputs.products"),
        ({"products": {"shape": [1 << 50], "dtype": "u32"}}, "malformed_tensor", "limit"),
        ({"products": {"shape": [1], "dtype": "f64"}}, "dtype_mismatch", "f64"),
        ({"params": tensor([1, 2])}, "binding_mismatch", "'params' was given a tensor"),
        ({"params": {"factor": 1}}, None, "offset"),
        ({"params": {"factor": 1, "offset": 2, "more": 3}}, None, "more"),
        ({"params": {"factor": -1, "offset": 2}}, None, "factor"),
        ({"params": {"factor": "x", "offset": 2}}, None, "factor"),
        ({"numbers": {"$tensor": {"id": "ten_unknown"}}}, "tensor_not_found", "ten_unknown"),
        ({"numbers": [1, 2.5]}, "malformed_tensor", "inputs.numbers: data at index 1 is 2.5"),
        ({"numbers": [[1, 2], [3]]}, "malformed_tensor", "inputs.numbers: its rows differ in length"),
        (
            {"numbers": [[[[[[[[[1]]]]]]]]]},
            "malformed_tensor",
            "inputs.numbers: a shape of 9 dimensions is over",
        ),
    ],
)
def test_an_argument_that_does_not_fit_is_named(
    http: httpx2.Client, inputs: dict[str, Any], code: str | None, says: str
) -> None:
    add(http, "affine", DOUBLE)
    whole = {
        "numbers": tensor([1]),
        "products": {"shape": [1], "dtype": "u32"},
        "params": {"factor": 1, "offset": 0},
    }
    if inputs and "other" not in inputs and inputs != {"numbers": tensor([1])}:
        inputs = {**whole, **inputs}
    answer = http.post("/api/kernels/affine/dispatch", json={"inputs": inputs, "workgroups": [1, 1, 1]})
    assert 400 <= answer.status_code < 500, answer.text
    assert code in (None, answer.json()["code"])
    assert says in answer.json()["detail"]


@pytest.mark.parametrize(
    ("change", "status", "says"),
    [
        ({"workgroups": [(1 << 31) + 1, 1, 1]}, 422, "workgroups.x"),
        ({"workgroups": [-1, 1, 1]}, 422, "no counts"),
        ({"workgroups": []}, 422, "workgroups"),
        ({"workgroups": [1, 1, 1, 1]}, 422, "workgroups"),
        ({"workgroups": [1.5]}, 422, "workgroups"),
        ({"workgroups": "1"}, 422, "workgroups"),
        ({"entry_point": "third"}, 422, "'third'"),
        ({"entry_point": None}, 422, "several entry points"),
        ({"more": 1}, 422, "more is not a field"),
        ({"inputs": []}, 422, "inputs"),
    ],
)
def test_a_dispatch_that_cannot_be_is_refused(
    http: httpx2.Client, change: dict[str, Any], status: int, says: str
) -> None:
    add(http, "count", COUNT)
    body = {"inputs": {}, "workgroups": [1, 1, 1], "entry_point": "first", **change}
    answer = http.post("/api/kernels/count/dispatch", json=body)
    assert answer.status_code == status, answer.text
    assert says in answer.json()["detail"]


def test_a_source_is_reflected_as_it_would_be_stored_and_is_not_kept(http: httpx2.Client) -> None:
    reflected = http.post("/api/kernels/reflect", json={"source": COUNT})
    assert reflected.status_code == 200
    stored = add(http, "reflected", COUNT).json()
    assert reflected.json() == {each: stored[each] for each in ("entry_points", "overrides", "bindings")}
    broken = http.post("/api/kernels/reflect", json={"source": "@compute @workgroup_size(1)\nfn main() {"})
    assert (broken.status_code, broken.json()["line"]) == (422, 2)
    assert http.get("/api/kernels/reflect").status_code == 404


def test_a_kernel_that_does_not_parse_is_refused_with_a_caret(http: httpx2.Client) -> None:
    answer = add(http, "broken", "@compute @workgroup_size(1)\nfn main() { let x = ; }")
    problem = answer.json()
    assert (answer.status_code, problem["line"]) == (422, 2)
    assert problem["code"] in ("kernel_syntax", "kernel_compile")
    assert problem["snippet"].splitlines()[1].strip() == "^"
    assert http.get("/api/kernels/broken").status_code == 404


def test_a_kernel_that_does_not_compile_is_told_in_one_line_and_shown_as_posted(http: httpx2.Client) -> None:
    line = "    /* twice */ for (var i = 0u; i < 3u; i++) { var x = i; x *= 2.0f; }  // no"
    source = f"@compute @workgroup_size(1)\nfn main() {{\n{line}\n}}\n"
    problem = add(http, "broken", source).json()
    wanted = "automatic conversions cannot convert elements of `f32` to `u32`: this expression has type f32"
    assert (problem["code"], problem["detail"]) == ("kernel_compile", wanted)
    assert (problem["line"], problem["column"]) == (3, line.index("2.0f") + 1)
    assert problem["snippet"] == f"{line}\n{' ' * line.index('2.0f')}^"
    assert add(http, "broken", source.replace("\n", "\x0b", 1)).json()["snippet"] == problem["snippet"]


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [
        ("", 422, "invalid_request"),
        ("Upper", 422, "invalid_request"),
        *((name, 422, "invalid_request") for name in ("a/b", "-", ".", "--x", "..", ".hidden", "1st")),
        ("../../etc/passwd", 422, "invalid_request"),
        ("a\r\nX-Header: 1", 422, "invalid_request"),
        ("x" * 65, 422, "invalid_request"),
        ("builtin_x", 409, "name_reserved"),
    ],
)
def test_a_name_that_is_not_possible_is_refused(
    http: httpx2.Client, name: str, status: int, code: str
) -> None:
    answer = add(http, name, DOUBLE)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_a_kernel_that_was_named_under_an_older_rule_goes_on_working(
    http: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr("api.kernels.store.NAME", re.compile(r"[a-z0-9_][a-z0-9_.-]{0,63}"))
        assert add(http, "2nd", DOUBLE).status_code == 201
    assert http.get("/api/kernels/2nd").json()["name"] == "2nd"
    params = {"factor": 3, "offset": 1}
    inputs = {"numbers": tensor([2]), "products": {"shape": [1], "dtype": "u32"}, "params": params}
    done = http.post("/api/kernels/2nd/dispatch", json={"inputs": inputs})
    assert done.json()["outputs"]["products"]["$tensor"]["data"] == [7]
    assert http.delete("/api/kernels/2nd").status_code == 204


def test_names_belong_to_their_owner(http: httpx2.Client, running: Any) -> None:
    other = running.client_for("neighbour")
    add(http, "mine", DOUBLE)
    assert other.get("/api/kernels/mine").status_code == 404
    assert other.get("/api/kernels/admin/mine").json()["code"] == "kernel_not_found"
    assert other.post("/api/kernels/admin/mine/dispatch", json={"workgroups": [1]}).status_code == 404
    assert add(other, "mine", COUNT).status_code == 201
    assert other.get("/api/kernels/neighbour/mine").json()["source"] == COUNT
    assert http.get("/api/kernels/mine").json()["source"] == DOUBLE
    assert [kernel["name"] for kernel in other.get("/api/kernels").json()["kernels"]] == ["mine"]
    assert other.delete("/api/kernels/mine").status_code == 204
    assert other.get("/api/kernels/mine").status_code == 404
    assert http.get("/api/kernels/mine").status_code == 200


def test_a_deleted_kernel_is_gone_with_all_its_versions(http: httpx2.Client) -> None:
    digest = add(http, "leaving", DOUBLE).json()["hash"]
    assert http.delete(f"/api/kernels/leaving@{digest}").status_code == 422
    assert http.delete("/api/kernels/leaving").status_code == 204
    for path in ("leaving", f"leaving@{digest}"):
        assert http.get(f"/api/kernels/{path}").status_code == 404
    assert http.delete("/api/kernels/leaving").json()["code"] == "kernel_not_found"
    assert add(http, "leaving", DOUBLE).status_code == 201
