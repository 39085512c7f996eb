"""The playground and the page of a run, driven in headless Chromium."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

REPORTING = """
import time

def main(turns):
    for turn in range(turns):
        print("turn", turn)
        progress(turn / turns, loss=1 / (turn + 1), phase="warm")
        time.sleep(0.05)
    return [{"turn": turn, "half": turn / 2} for turn in range(3)]
"""
HELD = REPORTING.replace("import time", "import os, time").replace(
    "time.sleep(0.05)",
    "while turn in (9, 19) and not os.path.exists(f'/held/{turn}'):\n            time.sleep(0.02)",
)
"""One that waits twice until it may go on."""
BROKEN = """@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    out[id.x] = 3.0 * nothing;
}
"""
KINDS_OF_VALUES = """
import torch

def main():
    return {
        "rgb": torch.tensor([[[1, 0, 0], [0, 1, 0]], [[0, 0, 1], [1, 1, 1]]]).float(),
        "gray": torch.arange(400).reshape(20, 20),
        "large": torch.zeros(3000, 2000),
        "i64": torch.tensor([2**53 + 1, -1], dtype=torch.int64),
        "whole": 2**60 + 1,
        "text": "<i>markup</i>",
        "bytes": b"hi",
        "nan": float("nan"),
        "$tag": {"constructor": 5},
        "table": [{"$name": "x", "n": 1}, {"$name": "y", "n": 2}],
        "nested": {"inner": [1, {"deep": 2}]},
    }
"""
CURVE = "document.querySelector('.plot .curve')?.getAttribute('d') ?? ''"


def points(page: Any) -> int:
    """How many the first plot has. (Our pages let Playwright wait for no function: it would be text that is run.)"""
    return len(page.evaluate(CURVE).split("L"))


def write(page: Any, text: str, inputs: str = "") -> None:
    page.get_by_label("The program").fill(text)
    page.get_by_label("Inputs, as JSON").fill(inputs)


def test_one_logs_in_and_runs_the_digits_example_and_sees_its_inputs_and_result(
    visit: Any, running: Any
) -> None:
    page = visit("/console/login?then=/console/play", known=False)
    page.get_by_label("Key").fill(running.key)
    page.get_by_role("button", name="Log in").click()
    page.get_by_label("Example").select_option("digits")
    tensors = page.get_by_role("list", name="Tensors among the inputs")
    tensors.get_by_text("f32 [450, 64]").click()
    tensors.locator("canvas").wait_for()
    assert page.get_by_label("Inputs, as JSON").input_value() == "{}"
    page.get_by_role("button", name="Run").click()
    page.wait_for_selector(".status.succeeded")
    view = page.locator("#view")
    assert "of 450 digits are right" in view.inner_text()
    assert float(view.locator("dd").first.inner_text()) > 0.95
    view.locator("canvas").wait_for()
    colours = page.evaluate(
        "() => { const c = document.querySelector('#view canvas');"
        " return new Set(c.getContext('2d').getImageData(0, 0, c.width, c.height).data).size; }"
    )
    assert colours > 20
    assert view.locator("th").all_inner_texts() == ["digit", "taken for"]
    page.reload()
    tensors.get_by_text("f32 [450, 64]").wait_for()
    assert page.get_by_label("Example").input_value() == "digits"
    tensors.get_by_role("button", name="Leave out w1").click()
    assert tensors.get_by_role("listitem").count() == 5
    page.get_by_label("The program").press("Control+End")
    page.get_by_label("The program").press_sequentially("#")
    page.locator("#sample option:checked", has_text="Begin with an example").wait_for(state="attached")


def test_a_loop_that_reports_its_loss_moves_its_plot(visit: Any, wait_until: Any, tmp_path: Path) -> None:
    page = visit("/console/play")
    write(page, HELD, '{"turns": 30}')
    held = {"files": [{"path": "/held", "folder": str(tmp_path), "mode": "ro"}]}
    page.get_by_text("Grants", exact=True).click()
    page.get_by_label("A line each, or JSON").fill(json.dumps(held))
    page.get_by_label("Inputs, as JSON").press("Control+Enter")
    wait_until(lambda: points(page) == 11, "the plot begins")
    place = page.locator(".plot").bounding_box()
    (tmp_path / "9").touch()
    wait_until(lambda: points(page) == 21, "the plot goes on")
    (tmp_path / "19").touch()
    assert "warm" in page.locator("#view").inner_text()
    page.wait_for_selector(".status.succeeded")
    wait_until(lambda: points(page) == 31, "the plot has all")
    page.get_by_role("heading", name="Result").wait_for()
    assert page.locator(".plot").bounding_box() == place, "it stays where it was"
    plot = page.get_by_role("img", name="loss")
    plot.focus()
    plot.press("Home")
    assert page.locator(".reading").first.inner_text() == "0: 1"
    assert page.locator("#view td").all_inner_texts() == ["0", "0", "1", "0.5", "2", "1"]
    assert "turn 29" in page.get_by_label("Output", exact=True).inner_text()


def test_a_broken_kernel_shows_its_error_at_its_line(visit: Any) -> None:
    page = visit("/console/play")
    page.get_by_text("Kernel", exact=True).click()
    page.get_by_label("The program").fill(BROKEN)
    page.get_by_role("button", name="Run").click()
    callout = page.locator(".callout")
    callout.wait_for()
    page.locator("#view .status.failed").wait_for()
    assert "nothing" in callout.inner_text()
    assert callout.inner_text().index("^") == BROKEN.splitlines()[3].index("nothing")
    assert callout.inner_text().count("^") == 1
    assert page.locator(".numbers .bad").inner_text() == "4"
    assert page.locator("#editor .caret").inner_text() == "nothing"
    far = f"    out[id.x] = 1.0; /* {'far ' * 20} */ out[0] = sqrt(2u);"
    page.get_by_label("The program").fill(BROKEN.replace("    out[id.x] = 3.0 * nothing;", far))
    page.get_by_role("button", name="Run").click()
    page.locator(".callout .hint", has_text="accepts the following types").wait_for()
    boxes = [page.locator(f".callout {part}").bounding_box() for part in (".message", ".hint")]
    frame = page.locator("#editor").bounding_box()
    assert boxes[0]["x"] == boxes[1]["x"] > frame["x"]
    assert all(box["x"] + box["width"] < frame["x"] + frame["width"] for box in boxes)
    assert page.locator("#editor .caret").bounding_box()["x"] < frame["x"] + frame["width"]
    page.get_by_label("The program").fill(BROKEN.replace(" * nothing;", ""))
    page.get_by_role("button", name="Run").click()
    page.locator(".callout .message", has_text="expected `;`").wait_for()
    assert page.locator(".numbers .bad").inner_text() == "4"
    assert callout.inner_text().index("^") == len("    out[id.x] = 3.0")
    page.get_by_label("The program").fill(BROKEN.replace("nothing", "2.0"))
    assert callout.is_hidden()
    page.get_by_role("button", name="Run").click()
    page.locator("#view canvas, #view .plot").wait_for()
    assert page.get_by_role("textbox", name="out read_write").input_value() == '{"shape":[16],"dtype":"f32"}'
    page.get_by_text("What is compiled").click()
    assert "_wf" in page.locator("#guarded pre").inner_text()


def test_what_came_of_an_older_text_is_seen_to_until_it_is_written_again_or_run(visit: Any) -> None:
    page = visit("/console/play")
    write(page, "result = 1 / 0")
    page.get_by_role("button", name="Run").click()
    page.locator("#view .problem").wait_for()
    stale, field = page.locator("#stale"), page.get_by_label("The program")
    assert stale.inner_text() == ""
    field.press("Control+End")
    field.press("Backspace")
    field.press("2")
    assert "before your change" in stale.inner_text()
    assert page.locator("#view.stale .problem").is_visible()
    field.press("Backspace")
    field.press("0")
    assert stale.inner_text() == ""
    page.get_by_label("Inputs, as JSON").fill("{ }")
    assert "before your change" in stale.inner_text()
    field.fill("result = 1 / 2")
    field.press("Control+Enter")
    page.locator("#view:not(.stale) .result").get_by_text("0.5").wait_for()
    assert page.locator("#view .problem").count() == 0


def test_a_script_is_stored_and_edited_and_its_name_stands_for_the_next_version(
    visit: Any, http: Any
) -> None:
    page = visit("/console/play#script")
    write(page, "def main(x: int): return x + 1")
    page.get_by_role("button", name="Store …").click()
    dialog = page.get_by_role("dialog", name="Store the script")
    name = dialog.get_by_label("Under the name")
    name.fill("class")
    name.press("Enter")
    dialog.get_by_role("alert").get_by_text("no keyword of Python's").wait_for()
    name.fill("stored_here")
    dialog.get_by_text("stored_here is a new name").wait_for()
    name.press("Enter")
    page.get_by_role("link", name="stored_here").click()
    page.get_by_role("link", name="Edit in the playground").click()
    program = page.get_by_label("The program")
    program.press("Control+End")
    program.press_sequentially(" +")
    program.press("Control+s")
    assert name.input_value() == "stored_here"
    dialog.get_by_text("stored_here exists, and will stand for this").wait_for()
    dialog.get_by_role("button", name="Store").click()
    page.locator(".callout").get_by_text("SyntaxError").wait_for()
    assert dialog.is_hidden()
    program.press_sequentially(" 2")
    page.reload()
    program.press("Control+s")
    dialog.get_by_role("button", name="Store").click()
    page.locator("#note", has_text="Stored as stored_here").wait_for()
    program.press("Control+s")
    dialog.get_by_text("This is what stored_here stands for already").wait_for()
    name.press("Escape")
    stored = http.get("/api/scripts/stored_here").json()
    assert stored["source"] == "def main(x: int): return x + 1 + 2"
    assert len(stored["versions"]) == 2


def test_a_kernel_is_stored_without_being_run_and_who_may_not_store_has_no_button(
    visit: Any, http: Any, running: Any, log_in: Any
) -> None:
    page = visit("/console/play#kernel")
    page.get_by_label("The program").fill(BROKEN.replace("nothing", "2.0"))
    page.get_by_label("The program").press("Control+s")
    dialog = page.get_by_role("dialog", name="Store the kernel")
    name = dialog.get_by_label("Under the name")
    name.fill("--x")
    assert name.evaluate("field => field.validity.patternMismatch")
    name.fill("stored.here")
    dialog.get_by_role("button", name="Store").click()
    page.locator("#note", has_text="Stored as stored.here").wait_for()
    assert page.get_by_label("Name", exact=True).input_value() == "stored.here"
    assert http.get("/api/kernels/stored.here").json()["source"] == BROKEN.replace("nothing", "2.0")
    assert page.locator("#view .status").count() == 0
    runner = running.client_for("runner", scopes=("runs:write",))
    start = log_in(runner.headers["authorization"].split()[1]).get("/console/play").text
    assert '"stores": {}' in start


def test_the_fields_of_a_kernel_follow_its_text_from_the_start_on(visit: Any) -> None:
    page = visit("/console/play#kernel")
    bindings = page.locator("#bindings label")
    page.get_by_role("textbox", name="steps read_write array<u32>").wait_for()
    assert page.get_by_label("Example").input_value() == "collatz"
    assert page.get_by_label("Entry point").input_value() == "main"
    page.get_by_label("The program").fill(BROKEN.replace("fn main", "fn other"))
    field = page.get_by_role("textbox", name="out read_write array<f32>")
    field.wait_for()
    assert bindings.count() == 1
    assert page.get_by_label("Entry point").input_value() == "other"
    field.fill('{"shape": [5], "dtype": "f32"}')
    page.reload()
    field.wait_for()
    assert bindings.count() == 1
    assert field.input_value() == '{"shape": [5], "dtype": "f32"}'
    page.get_by_label("Example").select_option("julia")
    page.get_by_role("textbox", name="params uniform Params").wait_for()
    assert page.get_by_label("x, y, z").input_value() == "384, 288"


def test_a_plan_is_a_table_of_its_steps_and_its_kernels_unfold(visit: Any) -> None:
    page = visit("/console/play")
    page.get_by_label("Example").select_option("plan")
    page.get_by_role("button", name="Run").click()
    plan = page.locator(".plan")
    plan.locator("tbody tr").filter(has_text="softmax").wait_for()
    count = int(plan.locator("p").first.inner_text().split()[0])
    assert plan.locator("tbody tr").count() == count
    assert "output 0" in plan.locator("tbody tr").last.inner_text()
    plan.get_by_text("Kernel 1:").click()
    assert "@compute" in plan.locator("details[open] pre").inner_text()


def test_results_are_shown_by_kind_and_nothing_in_them_is_taken_for_ours(visit: Any) -> None:
    page = visit("/console/play")
    write(page, KINDS_OF_VALUES)
    page.get_by_role("button", name="Run").click()
    page.wait_for_selector(".status.succeeded")
    result = page.locator(".result")
    result.locator("canvas").nth(1).wait_for()
    shown = result.inner_text()
    for text in (
        "1152921504606846977",
        "[9007199254740993, -1]",
        "<i>markup</i>",
        "68 69",
        "NaN",
        "$tag",
        "constructor",
        "a list of 2",
        "too large to be shown here",
    ):
        assert text in shown, text
    assert result.locator("i").count() == 0
    assert result.locator("th").all_inner_texts() == ["$name", "n"]
    colours = result.locator("canvas").first.evaluate(
        "c => [...c.getContext('2d').getImageData(0, 0, 2, 2).data]"
    )
    assert colours == [255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255]
    result.get_by_text("a list of 2").click()
    result.get_by_text("deep").wait_for()
    with page.expect_download() as download:
        result.get_by_role("link", name=".npy").first.click()
    assert download.value.path().read_bytes().startswith(b"\x93NUMPY")


def test_a_run_is_followed_on_its_page_and_cancelled_there(visit: Any, http: Any, wait_until: Any) -> None:
    asked = {"script": REPORTING, "inputs": {"turns": 1000}, "limits": {"wall_s": 60}}
    run = http.post("/api/runs", json=asked).json()
    page = visit(f"/console/runs/{run['id']}")
    wait_until(lambda: points(page) > 2, "the plot begins")
    page.get_by_role("button", name="Cancel").click()
    page.wait_for_selector("#view .status.cancelled")
    page.get_by_role("button", name="Cancel").wait_for(state="detached")
    page.locator("#view").get_by_text("Took").wait_for()
    assert page.get_by_role("heading", name="Result").count() == 0
    page.get_by_role("link", name="Run again").click()
    page.wait_for_url("**/play?run=*")
    assert page.get_by_label("The program").input_value() == REPORTING


def test_on_a_phone_what_came_of_a_run_and_what_it_cost_stand_before_its_script(
    visit: Any, http: Any
) -> None:
    asked = {"script": "# a line\n" * 200 + "result = (torch.arange(5000) * 2).tolist()[1]"}
    run = http.post("/api/runs", json=asked, headers={"Prefer": "wait=60"}).json()
    page = visit(f"/console/runs/{run['id']}", viewport={"width": 390, "height": 800})
    state, script = (page.locator(each).bounding_box() for each in ("#view .status", "pre.code"))
    assert state["y"] < script["y"]
    threads = page.locator("#view .usage div", has_text="Threads").inner_text()
    assert threads.split() == ["Threads", f"{run['usage']['threads']:,}"]
    assert run["usage"]["threads"] >= 1000


def test_the_field_indents_and_can_be_left_by_keys_and_keeps_what_one_wrote(visit: Any) -> None:
    page = visit("/console/play")
    field = page.get_by_label("The program")
    field.fill("")
    field.press_sequentially("if 1:\nprint(2)")
    field.press("Enter")
    field.press("Shift+Tab")
    field.press_sequentially("x")
    field.press("Tab")
    assert field.input_value() == "if 1:\n    print(2)\nx    "
    field.press("Escape")
    field.press("Tab")
    assert not field.evaluate("each => each === document.activeElement")
    page.reload()
    assert page.get_by_label("The program").input_value() == "if 1:\n    print(2)\nx    "


def test_a_phone_shows_the_playground_and_a_run_in_its_width(visit: Any) -> None:
    page = visit("/console/play", viewport={"width": 390, "height": 844})
    write(page, "progress(0.5, loss=1.5); result = {'long': 'x' * 300, 'rows': [[n] * 30 for n in range(4)]}")
    page.get_by_role("button", name="Run").click()
    page.wait_for_selector(".status.succeeded")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.locator(".plot text").first.bounding_box()["height"] > 10
    assert page.locator(".plot .last").count() == 1
    view = page.locator("#view").bounding_box()
    assert page.evaluate("document.documentElement.scrollHeight - scrollY") - view["y"] - view["height"] < 40
    page.locator(".state a").click()
    page.wait_for_selector("#view table")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
