"""What the guard makes of kernels: the text, its lines and columns, and what it refuses."""

import re
from pathlib import Path

import pytest

from shaders.errors import KernelgateError
from shaders.guard.budget import fuel_budget, priced, turns_budget
from shaders.guard.edits import Edits, original_column
from shaders.limits import LIMITS
from shaders.reflect import reflect
from shaders.reflection import Guard, GuardedEntry, GuardedLoop
from shaders.source import Source

ROOT = Path(__file__).parents[3]
GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.before.wgsl"))
CORPUS = [
    *sorted((ROOT / "examples").glob("*.wgsl")),
    *sorted((ROOT / "tests" / "shaders" / "golden").glob("*.wgsl")),
    *GOLDEN,
]
HEAD = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n"


def guarded(source: str) -> Guard:
    guard = reflect(source).guard
    assert guard is not None
    return guard


def in_main(body: str, parameters: str = "", before: str = "") -> str:
    return f"{HEAD}{before}@compute @workgroup_size(64) fn main({parameters}) {{\n{body}\n}}\n"


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name.split(".")[0])
def test_the_guarded_text_is_the_one_on_file(path):
    expected = path.with_name(path.name.replace("before", "after"))
    assert priced(guarded(path.read_text()), "fuel") == expected.read_text()


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_lines_keep_their_numbers_and_each_letter_leads_back_to_its_column(path):
    reflection = reflect(path.read_text())
    guard = guarded(path.read_text())
    before, after = reflection.source.split("\n"), guard.source.split("\n")
    for line, (old, new) in enumerate(zip(before, after, strict=False), 1):
        if "@" in old or "fn " in old:
            continue
        columns = [original_column(guard.shifts, line, column, new, old) for column in range(1, len(new) + 1)]
        last = {column: new[place] for place, column in enumerate(columns)}
        for column, letter in enumerate(old, 1):
            assert last[column] == letter or letter == "%"  # of a signed one the guard makes a comma
    assert len(after) > len(before)


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_every_loop_is_checked_or_of_a_known_length(path):
    guard = guarded(path.read_text())
    numbers = range(1, len(guard.loops) + 1)
    for number in numbers:
        by_turn = guard.source.count(f" -= _wf_cost{number};")
        before = guard.source.count(f" -= _wf_turns{number} * _wf_cost{number};")
        assert by_turn + before == 1
        assert guard.source.count(f"{{ _wf_loop = select(_wf_loop, {number}u, _wf_loop == 0u); ") == 1
    loops = re.findall(r"\b(?:for|while|loop)\b", reflect(path.read_text()).source)
    assert len(guard.loops) <= len(loops)


def test_a_loop_knows_its_place_and_both_its_prices():
    guard = guarded(in_main("  for (var i = 0u; i < o[1]; i++) { o[i] = i; }"))
    assert guard.loops == (GuardedLoop(3, 3, 26, 1),)
    assert guard.entries == {"main": GuardedEntry(1, 1, True, 1)}
    assert priced(guard, "fuel").endswith("const _wf_cost1 = 26u;\n")
    assert priced(guard, "turns").endswith("const _wf_cost1 = 1u;\n")


def test_a_short_loop_of_known_length_is_part_of_what_is_around_it():
    guard = guarded(in_main("while (o[0] > 1u) { for (var i = 0; i < 10; i++) { o[i] = 0u; } }"))
    (outer,) = guard.loops
    assert outer.turns == 1 + 10 + 1
    assert outer.fuel > 10 * 20


def test_leaving_a_loop_costs_a_turn_of_it_and_of_every_loop_in_it():
    inner = "fn inner() { for (var i = 0u; i < o[1]; i++) { for (var j = 0; j < 4; j++) { o[0] = i; } } }\n"
    guard = guarded(in_main("while (o[0] > 1u) { while (o[0] > 2u) { inner(); inner(); } }", before=inner))
    assert [loop.turns for loop in guard.loops] == [1 + 4 + 1, 1 + 5, 1 + 4]
    assert guard.entries["main"].turns == 6


def test_a_nest_of_short_loops_is_checked_where_it_is_no_longer_short():
    depth = 6
    opened = "".join(f"for (var i{n} = 0u; i{n} < 64u; i{n}++) {{" for n in range(depth))
    guard = guarded(in_main(f"{opened} o[1] += 1u; {'}' * depth}"))
    assert [loop.fuel > 64 * 18 for loop in guard.loops] == [False, False, True]


def test_calls_cost_what_the_called_function_costs():
    heavy = f"fn heavy() {{ {'o[1] += 1u;' * 100} }}\n"
    (light,) = guarded(in_main("while (o[0] > 1u) { o[1] += 1u; }", before=heavy)).loops
    (dear,) = guarded(in_main("while (o[0] > 1u) { heavy(); }", before=heavy)).loops
    assert dear.fuel > light.fuel + 600


@pytest.mark.parametrize(
    ("call", "least"),
    [("workgroupBarrier()", 16), ("atomicAdd(&a, 1u)", 64), ("storageBarrier()", 256)],
)
def test_a_turn_that_waits_costs_more_than_its_tokens(call: str, least: int):
    own = f"fn waits() {{ {call}; }}\nfn waitsNot() {{ }}\nfn atomicOfMyOwn() {{ }}\nvar<workgroup> a: atomic<u32>;\n"
    prices = {
        name: guarded(in_main(f"loop {{ {name}(); }}", before=own)).loops[0].fuel
        for name in ("waits", "waitsNot", "atomicOfMyOwn")
    }
    assert prices["waits"] - prices["waitsNot"] >= least
    assert prices["atomicOfMyOwn"] == prices["waitsNot"]


def test_what_stands_outside_counted_loops_is_paid_before_they_begin():
    short = "fn short() { for (var i = 0u; i < 100u; i++) { o[i] += 1u; } }\n"
    assert not guarded(in_main("short();" * 1000, before=short)).loops
    guard = guarded(in_main("short();" * 1000 + "while (o[0] > 1u) { o[0] -= 1u; }", before=short))
    paid = guard.entries["main"].fuel
    assert 1000 * 100 * 10 < paid < 1000 * 4200
    assert fuel_budget(guard, "main", 1 << 23) == (1 << 23) - paid
    assert fuel_budget(guard, "main", 1 << 20) < 0


@pytest.mark.parametrize(
    ("body", "shared"),
    [
        ("loop { workgroupBarrier(); }", True),
        ("loop { helper(); }", True),
        ("loop { if (o[0] == 1u) { return; } } helper();", True),
        ("loop { o[1] += 1u; } helper();", False),
        ("loop { loop { workgroupBarrier(); } }", True),
        ("loop { o[1] = workgroupUniformLoad(&w); }", True),
    ],
)
def test_loops_that_reach_a_barrier_draw_on_the_counter_that_is_the_same_for_all(body, shared):
    before = "var<workgroup> w: u32;\nfn helper() { storageBarrier(); }\n"
    text = guarded(in_main(body, before=before)).source
    assert ("(*_wf_shared_fuel) -= _wf_cost1" in text) == shared
    assert ("_wf_fuel -= _wf_cost1" in text.replace("shared_fuel", "")) != shared


def test_an_endless_function_gets_an_end_that_its_type_allows():
    text = guarded(in_main("o[0] = f();", before="fn f() -> vec2<u32> { loop { } }\n")).source
    assert "return vec2<u32>(); }" in text


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        (in_main("", "id: vec3<u32>"), 2, "needs @builtin"),
        (in_main("", "@builtin(workgroup_id) id: vec3<f32>"), 2, "is a vec3<u32>, and 'id' is a vec3<f32>"),
        (in_main("", "@builtin(local_invocation_index) n: vec3<u32>"), 2, "is a u32"),
        (in_main("", "s: S", "struct S { @builtin(workgroup_id) a: vec3u, b: u32 }\n"), 2, "member 'b'"),
        (f"{HEAD}@compute @workgroup_size(1) fn main() -> u32 {{ return 1u; }}", 2, "cannot return a value"),
        (
            in_main("main2();") + "@compute @workgroup_size(1) fn main2() { }",
            3,
            "'main2' is an entry point and cannot be called",
        ),
    ],
)
def test_an_entry_point_that_cannot_be_is_refused_where_it_is_wrong(source, line, message):
    with pytest.raises(KernelgateError, match=re.escape(message)) as caught:
        reflect(source)
    assert (caught.value.code, caught.value.line) == ("kernel_syntax", line)


def test_the_largest_kernels_are_guarded_in_linear_time():
    loops = "for (var i = 0u; i < o[0]; i++) { if (o[i] > 1u) { continue; } o[1] += i; }\n" * LIMITS.loops
    assert len(guarded(in_main(loops)).loops) == LIMITS.loops


def test_turns_are_shared_out_among_the_counters_that_an_entry_point_has():
    guard = Guard("", (), {"a": GuardedEntry(100, 2, True), "b": GuardedEntry(191, 1, False)})
    assert turns_budget(guard, "a") == (65_000 - 100) // 2
    assert turns_budget(guard, "b") == 8_000


def test_columns_of_an_edited_text_lead_back():
    text = "one two three\nfour\n"
    edits = Edits(Source(text, LIMITS), text)
    edits.insert(4, "1234 ")
    edits.replace(8, 13, "3")
    edits.blank(14, 18)
    new, shifts = edits.apply()
    assert new == "one 1234 two 3\n    \n"
    columns = [original_column(shifts, 1, column, new[:14], text[:13]) for column in range(1, 16)]
    assert columns == [1, 2, 3, 4, 5, 5, 5, 5, 5, 5, 6, 7, 8, 13, 14]
    assert original_column(shifts, 2, 3, "    ", "four") == 3


def test_what_an_edit_repeats_leads_to_what_it_repeats():
    text = "for (a; a < f(b.w); ) { }"
    edits = Edits(Source(text, LIMITS), text)
    edits.insert(0, "_x = f(b.w) + a + _y; ")
    new, shifts = edits.apply()
    for repeated, found in {
        "f(b.w)": "f(b.w)",
        "w)": "w)",
        "a + _y": "a; a",
        "_x": "for",
        "_y": "for",
    }.items():
        column = original_column(shifts, 1, new.index(repeated) + 1, new, text)
        assert text[column - 1 :].startswith(found)
