"""What `reflect` says of kernels that it lets through."""

import pytest

from shaders.reflect import reflect
from shaders.reflection import BindingInfo, EntryPoint, Field

MAIN = "@compute @workgroup_size(64)\nfn main() {}\n"


def binding(declaration: str, before: str = "") -> BindingInfo:
    """The one binding that `declaration` makes."""
    (info,) = reflect(f"{before}\n@group(0) @binding(0) {declaration};\n{MAIN}").bindings
    return info


def test_bindings_are_described_in_the_order_of_their_numbers():
    reflection = reflect(
        """
        struct Params { count: u32, scale: f32 }
        @group(1) @binding(0) var<uniform> params: Params;
        @group(0) @binding(2) var<storage, read_write> y: array<vec4f>;
        @binding(0) @group(0) var<storage> x: array<f32>;
        @compute @workgroup_size(64) fn main() { y[0] = vec4f(x[0] * params.scale); }
        """
    )
    assert reflection.bindings == (
        BindingInfo(0, 0, "x", "storage", "read", "array<f32>", "f32", 4, 4),
        BindingInfo(0, 2, "y", "storage", "read_write", "array<vec4f>", "f32", 16, 16),
        BindingInfo(
            1,
            0,
            "params",
            "uniform",
            "read",
            "Params",
            None,
            8,
            0,
            (Field("count", "u32", 0, 4), Field("scale", "f32", 4, 4)),
        ),
    )
    assert reflection.entry_points == (EntryPoint("main", (64, 1, 1), ("x", "y", "params")),)


def test_each_entry_point_lists_what_it_reaches_through_calls_and_constants():
    reflection = reflect(
        """
        const wide = 4u * 2u;
        @group(0) @binding(0) var<storage> a: array<u32>;
        @group(0) @binding(1) var<storage> b: array<u32>;
        @group(0) @binding(2) var<storage, read_write> out: array<u32>;
        fn inner() -> u32 { return a[0]; }
        fn outer() -> u32 { return inner() + 1u; }
        @compute @workgroup_size(wide, 2) fn one() { out[0] = outer(); }
        @compute @workgroup_size(1, 1, 64u) fn two() { out[0] = b[0]; }
        """
    )
    assert reflection.entry_points == (
        EntryPoint("one", (8, 2, 1), ("a", "out")),
        EntryPoint("two", (1, 1, 64), ("b", "out")),
    )


@pytest.mark.parametrize(
    "body",
    [
        "let x = 1u; let y = x;",
        "for (var x = 0u; x < 4u; x++) { let y = x; }",
        "{ var x = 1u; x += 1u; }",
        "var s: S; s.x = 1u;",
        "if true { const x = 2; let y = x; }",
    ],
)
def test_a_local_name_that_hides_a_binding_does_not_reach_it(body):
    source = "struct S { x: u32 } @group(0) @binding(0) var<storage> x: array<u32>;\n"
    reflection = reflect(source + f"@compute @workgroup_size(1) fn main() {{ {body} }}")
    assert reflection.entry_points[0].bindings == ()


@pytest.mark.parametrize(
    "body",
    [
        "let x = x[0];",
        "{ let x = 1u; } let y = x[0];",
        "for (var x = 0u; x < 4u; x++) { } let y = x[0];",
        "let y = arrayLength(&x);",
        "var s = S(x[0]);",
    ],
)
def test_a_binding_named_outside_the_local_that_hides_it_is_reached(body):
    source = "struct S { a: u32 } @group(0) @binding(0) var<storage> x: array<u32>;\n"
    reflection = reflect(source + f"@compute @workgroup_size(1) fn main() {{ {body} }}")
    assert reflection.entry_points[0].bindings == ("x",)


def test_a_parameter_hides_a_binding():
    reflection = reflect(
        "@group(0) @binding(0) var<storage> x: array<u32>;\n"
        "fn f(x: u32) -> u32 { return x; }\n"
        "@compute @workgroup_size(1) fn main() { let y = f(1u); }"
    )
    assert reflection.entry_points[0].bindings == ()


def test_aliases_and_constants_are_replaced_in_types():
    info = binding(
        "var<storage> x: Grid",
        "const side = 4; alias Row = array<Cell, side * 2>; alias Cell = vec2<f32>; alias Grid = array<Row>;",
    )
    assert (info.type, info.element, info.stride, info.min_size) == (
        "array<array<vec2<f32>, 8>>",
        "f32",
        64,
        64,
    )


def test_nested_structs_are_described_from_their_own_start():
    info = binding(
        "var<uniform> scene: Scene",
        """
        struct Light { colour: vec3f, power: f32 }
        struct Scene { count: u32, lights: array<Light, 2>, main: Light }
        """,
    )
    light = (Field("colour", "vec3f", 0, 12), Field("power", "f32", 12, 4))
    assert info.fields == (
        Field("count", "u32", 0, 4),
        Field("lights", "array<Light, 2>", 16, 32, 16, light),
        Field("main", "Light", 48, 16, 0, light),
    )
    assert (info.min_size, info.stride, info.element) == (64, 0, None)


def test_a_struct_that_ends_in_a_runtime_array_counts_one_element():
    info = binding("var<storage> list: List", "struct List { count: atomic<u32>, items: array<vec3<u32>> }")
    assert (info.min_size, info.stride, info.element) == (32, 16, "u32")


def test_the_source_comes_back_without_comments_on_the_same_lines_and_columns():
    source = (
        "// größe\n@group(0) @binding(0) /* one\n two /* three */ */ var<storage> x: array<u32>;\r\n"
        "@compute @workgroup_size(1)\tfn main() {\u2028 let y = x[0]; // end \u202e\x0b}"
    )
    text = reflect(source).source
    assert text == (
        "        \n@group(0) @binding(0)       \n                    var<storage> x: array<u32>;\n"
        "@compute @workgroup_size(1)\tfn main() {\n let y = x[0];         \n}"
    )
    assert reflect(text).source == text


@pytest.mark.parametrize(
    "source",
    [
        "enable f16;\n" + MAIN,
        "diagnostic(off, derivative_uniformity);\n" + MAIN,
        "override n: u32 = 1;\n@compute @workgroup_size(1) fn main() { let x = n; }",
        "const_assert 1 < 2;\n;;\n" + MAIN,
        "struct In { @builtin(workgroup_id) w: vec3u, }\n@compute @workgroup_size(1) fn main(in: In) {}",
        "@must_use fn f() -> u32 { return 1u; }\n" + MAIN,
        "@compute @workgroup_size(1) fn main() { @diagnostic(off, derivative_uniformity) if true { } }",
        "@compute @workgroup_size(1) fn main() { loop { continuing { break if true; } } }",
        "@compute @workgroup_size(1) fn main() { switch 1u { case 1u, 2u: { } default { } } }",
        "@compute @workgroup_size(1) fn main() { var<function> x: u32 = 1; _ = x; x++; }",
        "@compute @workgroup_size(1) fn main() { let a = 1 < 2; let b = array<vec2<f32>, 2>()[0].x >= 1.5e-3f; }",
        "var<private> p: array<u32, ((4 << 2) >> 1)>;\n" + MAIN,
        "fn f(p: ptr<function, u32>) { *p = 1u; }\nfn g(p: ptr<function, u32>) { f(p); }\n"
        "@compute @workgroup_size(1) fn main() { var x = 1u; let p = (&x); let q = p; f(&x); g(q); f((&x)); }",
        "@group(0) @binding(0) var<storage, read_write> a: array<atomic<u32>>;\n"
        "@compute @workgroup_size(1) fn main() { atomicAdd(&a[1], 1u); }",
    ],
)
def test_ordinary_wgsl_passes(source):
    assert reflect(source).entry_points[0].name == "main"


def test_a_chain_of_sixty_four_else_ifs_passes_beside_another():
    chain = "if x == 0u { }" + "".join(f" else if x == {i}u {{ }}" for i in range(1, 65))
    reflect(f"@compute @workgroup_size(1) fn main() {{ let x = 1u; {chain} {chain} else {{ }} }}")


def test_a_local_name_may_be_that_of_an_access_or_an_address_space():
    head = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n"
    body = "let read = o[0]; var function = read; o[1] = function + storage;"
    source = f"{head}fn f(storage: u32) {{ {body} }}\n@compute @workgroup_size(1) fn read() {{ f(1u); }}"
    assert reflect(source).guard is not None
