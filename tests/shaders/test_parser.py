"""The outline of a kernel: what the guard will build on."""

from shaders.limits import LIMITS
from shaders.parser import parse
from shaders.tree import Function, Module, Span


def outline(body: str, before: str = "") -> tuple[Module, Function]:
    module = parse(f"{before}\nfn f(a: u32) -> u32 {{ {body} }}", LIMITS)
    return module, module.functions["f"]


def text(module: Module, span: Span | None) -> str:
    return module.text(span) if span else ""


def test_loops_know_their_kind_their_braces_and_the_loop_around_them():
    module, function = outline(
        "for (var i = 0u; i < 2u; i++) { while i > 1u { } loop { continuing { } } } loop { }"
    )
    assert [(loop.kind, loop.parent) for loop in function.loops] == [
        ("for", None),
        ("while", 0),
        ("loop", 0),
        ("loop", None),
    ]
    for loop in function.loops:
        assert module.tokens[loop.keyword].text == loop.kind
        assert module.tokens[loop.open].text == "{"
        assert module.partner[loop.open] == loop.close


def test_a_call_in_a_header_belongs_to_its_loop():
    _, function = outline(
        "g(1u); for (var i = g(2u); i < g(3u); i++) { g(4u); } g(5u);", "fn g(x: u32) -> u32 { return x; }"
    )
    assert [(call.name, call.loop) for call in function.calls] == [("g", None)] + [("g", 0)] * 3 + [
        ("g", None)
    ]


def test_members_attributes_and_keywords_are_no_calls():
    _, function = outline(
        "@diagnostic(off, x) if (a == 1u) { s.g(1); } return (a); switch (a) { default { } }"
    )
    assert function.calls == []


def test_locals_know_their_type_value_and_where_they_are_seen():
    module, function = outline(
        "var x: array<u32, 2> = y; { let z = x[0]; } const w = 1; var<function> v: u32;"
    )
    assert [(local.keyword, local.name) for local in function.locals] == [
        ("var", "x"),
        ("let", "z"),
        ("const", "w"),
        ("var", "v"),
    ]
    x, z, w, v = function.locals
    assert (text(module, x.type), text(module, x.value)) == ("array<u32, 2>", "y")
    assert (z.type, text(module, z.value)) == (None, "x[0]")
    assert (text(module, v.type), v.value) == ("u32", None)
    assert x.visible[1] == w.visible[1] == v.visible[1] == function.braces[1]
    assert z.visible[1] < w.token


def test_the_head_of_a_function_is_taken_apart():
    module = parse(
        "@must_use @compute @workgroup_size(4, n) fn f(@builtin(workgroup_id) w: vec3<u32>, p: ptr<function, u32>,)"
        " -> array<vec2<f32>, 2> { return x; }",
        LIMITS,
    )
    function = module.functions["f"]
    assert [attribute.name for attribute in function.attributes] == ["must_use", "compute", "workgroup_size"]
    assert text(module, function.attributes[2].arguments) == "4, n"
    assert [(field.name, module.text(field.type)) for field in function.parameters] == [
        ("w", "vec3<u32>"),
        ("p", "ptr<function, u32>"),
    ]
    assert text(module, function.result) == "array<vec2<f32>, 2>"


def test_declarations_are_taken_apart():
    module = parse(
        "alias T = array<vec4<f32>>; const a: i32 = 1 >> 2; @id(3) override b = 1;"
        "@group(0) @binding(1) var<storage, read_write> c: array<vec2<u32>>; var<private> d = vec2<u32>(1, 2);",
        LIMITS,
    )
    shown = [
        (
            each.keyword,
            each.name,
            each.space,
            each.access,
            text(module, each.type),
            text(module, each.value),
        )
        for each in module.declarations.values()
    ]
    assert shown == [
        ("alias", "T", "", "", "", "array<vec4<f32>>"),
        ("const", "a", "", "", "i32", "1 >> 2"),
        ("override", "b", "", "", "", "1"),
        ("var", "c", "storage", "read_write", "array<vec2<u32>>", ""),
        ("var", "d", "private", "", "", "vec2<u32>(1, 2)"),
    ]


def test_references_are_what_is_named_outside_local_names():
    _, function = outline("let x = y + a; let z = x; s.member = t.other; let q = q;")
    assert set(function.references) == {"y", "s", "t", "q"}
