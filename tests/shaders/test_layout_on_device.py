"""Our layouts against the compiler's: what is packed here is read there, and nothing less than `min_size` binds."""

from pathlib import Path

import pytest
import wgpu

from shaders.pack import pack_fields
from shaders.reflect import reflect

GOLDEN = sorted(path for path in (Path(__file__).parent / "golden").iterdir() if path.stem != "functions")
STRUCTS = """
struct Inner { @align(16) position: vec3<f32>, @size(20) weight: f32 }
struct Mixed {
    a: u32, b: vec3<i32>, c: f32, d: vec2<u32>, e: mat3x3<f32>, f: array<Inner, 2>, g: mat2x4<f32>, h: Inner,
    i: array<array<vec4<u32>, 2>, 2>,
}
struct Loose { a: f32, b: array<f32, 3>, c: mat3x2<f32>, d: vec2<i32>, e: array<vec2<f32>, 2>, f: u32 }
"""
CASES = {
    "uniform": (
        "Mixed",
        ["a", *(f"b[{i}]" for i in range(3)), "c", "d.x", "d.y"]
        + [f"e[{i}][{j}]" for i in range(3) for j in range(3)]
        + [
            f"f[{i}].{leaf}"
            for i in range(2)
            for leaf in ("position.x", "position.y", "position.z", "weight")
        ]
        + [f"g[{i}][{j}]" for i in range(2) for j in range(4)]
        + [f"h.{leaf}" for leaf in ("position.x", "position.y", "position.z", "weight")]
        + [f"i[{i}][{j}][{k}]" for i in range(2) for j in range(2) for k in range(4)],
    ),
    "storage": (
        "Loose",
        ["a", *(f"b[{i}]" for i in range(3))]
        + [f"c[{i}][{j}]" for i in range(3) for j in range(2)]
        + ["d.x", "d.y", *(f"e[{i}][{j}]" for i in range(2) for j in range(2)), "f"],
    ),
}


def inner(numbers):
    return {"position": [next(numbers) for _ in range(3)], "weight": next(numbers)}


def value(name: str) -> dict[str, object]:
    """A value of struct `name` whose scalars count up from 1 in the order of `CASES`."""
    numbers = iter(range(1, 1000))

    def take(count):
        return [next(numbers) for _ in range(count)]

    if name == "Loose":
        return {
            "a": next(numbers),
            "b": take(3),
            "c": [take(2) for _ in range(3)],
            "d": take(2),
            "e": [take(2) for _ in range(2)],
            "f": next(numbers),
        }
    return {
        "a": next(numbers),
        "b": take(3),
        "c": next(numbers),
        "d": take(2),
        "e": [take(3) for _ in range(3)],
        "f": [inner(numbers), inner(numbers)],
        "g": [take(4) for _ in range(2)],
        "h": inner(numbers),
        "i": [[take(4) for _ in range(2)] for _ in range(2)],
    }


@pytest.mark.parametrize("space", CASES)
def test_every_scalar_is_read_where_it_was_packed(device, space):
    name, leaves = CASES[space]
    lines = "\n".join(f"    seen[{number}] = f32(given.{leaf});" for number, leaf in enumerate(leaves))
    source = (
        f"{STRUCTS}\n@group(0) @binding(0) var<{space}> given: {name};\n"
        f"@group(0) @binding(1) var<storage, read_write> seen: array<f32, {len(leaves)}>;\n"
        f"@compute @workgroup_size(1)\nfn main() {{\n{lines}\n}}\n"
    )
    reflection = reflect(source)
    given = device.create_buffer_with_data(
        data=pack_fields(reflection.bindings[0], value(name)),
        usage=wgpu.BufferUsage.UNIFORM | wgpu.BufferUsage.STORAGE,
    )
    seen = device.create_buffer(
        size=4 * len(leaves), usage=wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC
    )
    pipeline, group = bind(device, reflection.source, [(given, given.size), (seen, seen.size)])
    encoder = device.create_command_encoder()
    compute = encoder.begin_compute_pass()
    compute.set_pipeline(pipeline)
    compute.set_bind_group(0, group)
    compute.dispatch_workgroups(1)
    compute.end()
    device.queue.submit([encoder.finish()])
    assert device.queue.read_buffer(seen).cast("f").tolist() == [float(n) for n in range(1, len(leaves) + 1)]


def bind(device, source, buffers):
    module = device.create_shader_module(code=source)
    pipeline = device.create_compute_pipeline(
        layout="auto", compute={"module": module, "entry_point": "main"}
    )
    entries = [
        {"binding": number, "resource": {"buffer": buffer, "offset": 0, "size": size}}
        for number, (buffer, size) in enumerate(buffers)
    ]
    return pipeline, device.create_bind_group(layout=pipeline.get_bind_group_layout(0), entries=entries)


@pytest.mark.parametrize(
    "type_",
    [
        *(
            "u32",
            "vec2<f32>",
            "vec3<u32>",
            "array<u32>",
            "array<vec3<f32>>",
            "mat3x3<f32>",
            "array<mat2x2<f32>, 3>",
        ),
        *("Mixed", "Loose", "array<Inner, 3>", "array<Inner>", "Tail", "array<array<u32, 5>>"),
    ],
)
def test_the_least_size_is_the_compilers(device, type_):
    source = (
        f"{STRUCTS}\nstruct Tail {{ count: u32, items: array<vec3<u32>> }}\n"
        f"@group(0) @binding(0) var<storage, read_write> it: {type_};\n"
        "@compute @workgroup_size(1)\nfn main() { let p = &it; _ = p; }\n"
    )
    reflection = reflect(source)
    size = reflection.bindings[0].min_size
    buffer = device.create_buffer(size=max(size, 256), usage=wgpu.BufferUsage.STORAGE)
    bind(device, reflection.source, [(buffer, size)])
    if size > 4:
        with pytest.raises(wgpu.GPUValidationError):
            bind(device, reflection.source, [(buffer, size - 4)])


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_kernels_compile(device, path):
    module = device.create_shader_module(code=path.read_text())
    device.create_compute_pipeline(layout="auto", compute={"module": module, "entry_point": "main"})
