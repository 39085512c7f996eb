"""The documentation tells the truth: its blocks run, and its tables are those of the code.

A block marked `bash` or `python` is run, in order, in a folder and a session of its document (`/llms.txt` is one); a
block marked `json` or `text` right after it is what it prints, with `…` for anything. A block marked `python script` is
sent as a script.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from api import openapi
from api.app import create_app
from api.auth.acl import LEVELS
from api.auth.scopes import SCOPES
from api.explain import ACTIONS, RULES
from api.http.problems import status_of
from api.quotas import Quotas
from api.settings import RunLimits, Settings
from kernelgate.local import LocalServer
from ops.document import document
from ops.torch.namespace import namespace
from sandbox.policy.modules import ALLOWED
from shaders.errors import KernelgateError
from shaders.limits import LIMITS
from tests.imports import import_all

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "examples" / "README.md", *sorted(DOCS.rglob("*.md"))]
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)")


@dataclass(frozen=True)
class Block:
    kind: str
    text: str
    expected: str | None
    expected_kind: str


def blocks(page: str) -> Iterator[Block]:
    """The blocks of the text `page` that are run, each with the output block that follows it."""
    found = [(match[1].strip(), match[2], match.start(), match.end()) for match in FENCE.finditer(page)]
    for index, (kind, text, _, end) in enumerate(found):
        if kind in ("bash", "python", "python script"):
            follows = index + 1 < len(found) and not page[end : found[index + 1][2]].strip()
            output = found[index + 1] if follows and found[index + 1][0] in ("json", "text") else None
            yield Block(kind, text, output[1] if output else None, output[0] if output else "")


def matches(printed: str, expected: str, kind: str) -> bool:
    """Whether `printed` is `expected`, where `…` stands for anything and (in JSON) white space for nothing."""
    space = "" if kind == "json" else " "
    printed, expected = re.sub(r"\s+", space, printed).strip(), re.sub(r"\s+", space, expected).strip()
    return re.fullmatch(".*".join(map(re.escape, expected.split("…"))), printed, re.DOTALL) is not None


class Session:
    """A terminal and a Python prompt in one folder, with the server where the documentation says it is."""

    def __init__(self, server: LocalServer, folder: Path) -> None:
        self._server = server
        self._folder = folder
        self._names: dict[str, object] = {"__name__": "__main__"}

    def run(self, block: Block) -> str:
        text = block.text.replace("http://127.0.0.1:8765", self._server.url)
        if block.kind == "bash":
            return self._bash(text)
        if block.kind == "python":
            return self._python(text)
        with self._server.client() as client:
            return json.dumps(client.run(text).raw["result"])

    def _bash(self, text: str) -> str:
        """Exported variables last from block to block."""
        script = f"[[ -e .session ]] && . ./.session\nset -euo pipefail\n{text}\nexport -p > .session"
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self._folder,
            capture_output=True,
            text=True,
            timeout=120,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def _python(self, text: str) -> str:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(text, "block", "exec"), self._names)
        return printed.getvalue()


@pytest.fixture
def session(server: LocalServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    """A new user's home and checkout, as far as the documentation needs them."""
    home = tmp_path / "home" / ".local" / "share"
    home.mkdir(parents=True)
    (home / "kernelgate").symlink_to(server.data)
    folder = tmp_path / "checkout"
    folder.mkdir()
    (folder / ".venv").symlink_to(sys.prefix)
    for name in ("examples", "LICENSE"):
        (folder / name).symlink_to(ROOT / name)
    for variable in [name for name in os.environ if name.startswith(("KERNELGATE_", "XDG_"))]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KERNELGATE_URL", server.url)
    monkeypatch.chdir(folder)
    return Session(server, folder)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_block_runs_and_prints_what_the_page_shows(page: Path, session: Session) -> None:
    check(page.read_text(), session)


def check(page: str, session: Session) -> None:
    for block in blocks(page):
        printed = session.run(block)
        if block.expected is not None:
            assert matches(printed, block.expected, block.expected_kind), f"{block.text}\nprinted\n{printed}"


def test_every_block_of_the_page_for_agents_runs_with_nothing_but_a_key(
    server: LocalServer, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = httpx2.get(f"{server.url}/llms.txt", timeout=60).text
    assert len(list(blocks(page))) > 8
    monkeypatch.setenv("KERNELGATE_KEY", server.key)
    monkeypatch.delenv("KERNELGATE_URL")
    check(page, session)


def test_the_first_page_shows_curl() -> None:
    assert any("curl" in block.text and block.expected for block in blocks((ROOT / "README.md").read_text()))


@pytest.mark.parametrize("page", [*PAGES, *sorted(ROOT.glob("*.md"))], ids=lambda page: page.name)
def test_every_link_leads_to_a_file(page: Path) -> None:
    assert not [target for target, _ in LINK.findall(page.read_text()) if not (page.parent / target).exists()]


def table(page: str, first: str) -> dict[str, tuple[str, ...]]:
    """The rows of the table in `page` whose first column is called `first`: first cell to the other cells."""
    rows = {}
    inside = False
    for line in (DOCS / page).read_text().splitlines():
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not cells:
            inside = False
        elif cells[0] == first:
            inside = True
        elif inside and not set(cells[0]) <= {"-"}:
            rows[cells[0].strip("`")] = tuple(cells[1:])
    return rows


def test_every_limit_of_a_kernel_is_documented() -> None:
    documented = {name: cells[0] for name, cells in table("kernels.md", "limit").items()}
    numbers = {name: value for name, value in asdict(LIMITS).items() if isinstance(value, int)}
    assert documented == {name: str(value) for name, value in numbers.items()}


def test_every_setting_is_documented() -> None:
    documented = {name: cells[-1] for name, cells in table("settings.md", "setting").items()}
    actual = {
        f"KERNELGATE_{name.upper()}": field.description for name, field in Settings.model_fields.items()
    }
    assert documented == actual


def test_every_run_limit_is_documented() -> None:
    assert set(table("api.md", "limit")) == set(RunLimits.__struct_fields__)


def test_every_route_is_documented(tmp_path: Path) -> None:
    paths = create_app(Settings(data=tmp_path)).openapi()["paths"]
    actual = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    assert set(table("api.md", "route")) == actual


def test_the_stored_description_is_that_of_the_routes() -> None:
    stored = essence(json.loads((DOCS / "openapi.json").read_text()))
    assert stored == essence(json.loads(openapi.document())), "python -m api.openapi > docs/openapi.json"


def essence(description: dict[str, Any]) -> dict[str, Any]:
    """What of a description is ours, and not of the version of the framework that wrote it."""
    return {
        f"{method.upper()} {path}": (
            route.get("summary"),
            route.get("description"),
            sorted(
                (each["in"], each["name"], each.get("required", False))
                for each in route.get("parameters", ())
            ),
            {
                kind: body.get("schema")
                for kind, body in route.get("requestBody", {}).get("content", {}).items()
            },
            sorted(route["responses"]),
        )
        for path, methods in description["paths"].items()
        for method, route in methods.items()
    }


def test_the_lists_of_what_scripts_have_are_complete() -> None:
    names = namespace()
    actual = [names, names["nn"], names["nn"]["functional"], ALLOWED]  # type: ignore[index]
    lists = [
        match[2].split() for match in FENCE.finditer((DOCS / "scripts.md").read_text()) if match[1] == "text"
    ]
    assert lists == [sorted(expected) for expected in actual]


def test_every_error_code_is_documented_with_its_status_and_title() -> None:
    import_all()
    actual = {
        code: (str(status_of(code)), cls.title)
        for code, cls in KernelgateError.catalogue().items()
        if not cls.__module__.startswith("tests")
    }
    actual["internal"] = (str(status_of("internal")), KernelgateError.title)
    assert table("api.md", "code") == actual


def test_every_metric_is_documented(server: LocalServer) -> None:
    text = httpx2.get(f"{server.url}/metrics", timeout=60).text
    actual = dict(re.findall(r"^# TYPE (\S+) (\w+)$", text, re.MULTILINE))
    ours = {
        name: kind
        for name, kind in actual.items()
        if name.startswith("udf_") and not name.endswith("_created")
    }
    assert {name: cells[0] for name, cells in table("metrics.md", "metric").items()} == ours


def test_the_page_of_ops_is_made_from_the_table() -> None:
    assert (DOCS / "ops.md").read_text() == document(), "python -m ops.document > docs/ops.md"


def test_every_scope_and_quota_is_documented() -> None:
    assert {name: cells[0] for name, cells in table("keys.md", "scope").items()} == SCOPES
    assert tuple(table("keys.md", "quota")) == Quotas.__struct_fields__


def test_every_level_of_access_is_documented() -> None:
    assert {name: cells[0] for name, cells in table("access.md", "level").items()} == LEVELS


def test_every_action_and_rule_of_an_explanation_is_documented() -> None:
    actions = {name: cells[0] for name, cells in table("access.md", "action").items()}
    assert actions == {name: resource for name, (resource, _) in ACTIONS.items()}
    assert {name: cells[0] for name, cells in table("access.md", "rule").items()} == RULES
