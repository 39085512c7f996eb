"""Hostile templates: behind both walls, behind jinja2's sandbox alone, and behind the operating system's walls alone.

Those of `templates/environment` say in their first line what they get: `refused CODE`, or `gives TEXT`; `by the wall`
is added where it takes the worker's limits to stop them. Those of `templates/walls` are for jinja2 without a sandbox,
and say what they meet: `meets TEXT or TEXT`.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.pool import PoolSettings, WorkerPool
from shaders.errors import KernelgateError
from shaders.rendering import render
from tests.sandbox.support import children

HERE = Path(__file__).parent
FILES = sorted((HERE / "templates" / "environment").glob("*.j2"))
ALONE = [path for path in FILES if "by the wall" not in path.read_text().split("\n", 1)[0]]
OPEN = sorted((HERE / "templates" / "walls").glob("*.j2"))


class Renderer:
    """A pool, driven from a test without `async`."""

    def __init__(self, runner: asyncio.Runner, pool: WorkerPool) -> None:
        self._runner = runner
        self.pool = pool

    def render(self, template: str) -> str:
        return self._runner.run(self.pool.render(template, {}))


def started(python: str) -> Iterator[Renderer]:
    with asyncio.Runner() as runner:
        pool = WorkerPool(PoolSettings(size=1, python=python))
        renderer = Renderer(runner, pool)
        try:
            yield renderer
        finally:
            runner.run(pool.close())


@pytest.fixture(scope="module")
def both() -> Iterator[Renderer]:
    yield from started(sys.executable)


@pytest.fixture(scope="module")
def walls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Renderer]:
    wrapper = tmp_path_factory.mktemp("bin") / "python"
    wrapper.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{HERE / "open_zygote.py"}" "$@"\n')
    wrapper.chmod(0o755)
    for renderer in started(str(wrapper)):
        assert renderer.render("{{ 1 }}") == "1"
        inner = renderer.pool._inner["template"]
        if inner.level not in ("full", "hardened"):
            pytest.skip(f"this machine gives level {inner.level}: {inner.reason}")
        yield renderer


def expected(path: Path) -> tuple[str, str]:
    first = path.read_text().split("\n", 1)[0]
    line = path.read_text() if first.startswith("{# gives") else first
    verb, _, rest = line.removeprefix("{# ").partition(" #}")[0].partition(" ")
    return verb, rest.removesuffix(" by the wall")


def met(act: object, template: str) -> tuple[str, str]:
    assert callable(act)
    try:
        return "gives", act(template).strip()
    except KernelgateError as error:
        return "refused", error.code


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_behind_both_walls_a_template_gets_what_its_first_line_says(path: Path, both: Renderer) -> None:
    assert met(both.render, path.read_text()) == expected(path)


@pytest.mark.parametrize("path", ALONE, ids=lambda path: path.stem)
def test_the_environment_alone_gives_the_same(path: Path) -> None:
    assert met(lambda text: render(text, {}), path.read_text()) == expected(path)


@pytest.mark.parametrize("path", OPEN, ids=lambda path: path.stem)
def test_the_walls_alone_give_nothing_and_the_next_template_is_rendered(path: Path, walls: Renderer) -> None:
    _, wanted = expected(path)
    with pytest.raises(KernelgateError) as caught:
        walls.render(path.read_text())
    assert any(text in caught.value.message for text in wanted.split(" or ")), caught.value
    assert walls.render("{{ 6 * 7 }}") == "42"


def test_without_walls_the_same_attacks_succeed() -> None:
    """They would do harm: what they meet behind the walls is the walls' doing."""
    program = "import jinja2, sys\nprint(jinja2.Environment().from_string(open(sys.argv[1]).read()).render())"
    for name in ("read_a_file", "read_our_own_source", "list_the_root", "run_a_command"):
        command = [sys.executable, "-c", program, str(HERE / "templates" / "walls" / f"{name}.j2")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        assert len(done.stdout.strip()) > 1


def test_a_template_sees_no_environment_variable_of_the_server(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setenv("KERNELGATE_SECRET_OF_A_TEST", "hush")
    before = set(children())
    for renderer in walls.__wrapped__(tmp_path_factory):  # type: ignore[attr-defined]
        shown = renderer.render("{{ cycler.__init__.__globals__['os'].environ.items() | list }}")
        assert "hush" not in shown
    assert set(children()) <= before, "nothing is left running"
