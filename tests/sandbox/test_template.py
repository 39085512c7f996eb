"""Templates in workers of their own: what those have loaded, and that nothing but text comes back from them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from ops.wire import FrameError
from sandbox import frames
from sandbox.errors import SandboxWeakError, WorkerCrashedError
from sandbox.pool import PoolSettings, WorkerPool
from sandbox.session import Session
from sandbox.signatures.form import UNKNOWN
from shaders.errors import KernelgateError
from shaders.reflection import Reflection
from tests.sandbox.support import Sandbox


def test_a_template_is_rendered_and_a_bad_one_is_refused_with_its_place(sandbox: Sandbox) -> None:
    async def scenario() -> str:
        text = await sandbox.pool.render("{{ n }} {{ flag }}", {"n": 7, "flag": True})
        with pytest.raises(KernelgateError) as caught:
            await sandbox.pool.render("a\n{{ m }}", {})
        assert (caught.value.code, caught.value.line, caught.value.column) == ("template_error", 2, 4)
        return text

    assert sandbox.runner.run(scenario()) == "7 true"


def test_only_workers_for_templates_have_jinja2(sandbox: Sandbox) -> None:
    sandbox.runner.run(sandbox.pool.render("", {}))
    loaded, ordinary = (
        {module.partition(".")[0] for module in pool.modules}
        for pool in (sandbox.pool._inner["template"], sandbox.pool)
    )
    assert "jinja2" in loaded
    assert "jinja2" not in ordinary
    assert not loaded & {"numpy", "wgpu", "fastapi", "sqlalchemy"}


def test_many_templates_at_once_share_a_small_pool(sandbox: Sandbox) -> None:
    async def scenario() -> list[str]:
        return await asyncio.gather(*(sandbox.pool.render("{{ n }}", {"n": n}) for n in range(20)))

    assert sandbox.runner.run(scenario()) == [str(n) for n in range(20)]


def test_templates_are_refused_without_walls_unless_the_owner_allows_it(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox.runner.run(sandbox.pool.render("", {}))
    inner = sandbox.pool._inner["template"]
    monkeypatch.setattr(inner._stock, "level", "process")
    with pytest.raises(SandboxWeakError, match="templates are not rendered at level process"):
        sandbox.runner.run(sandbox.pool.render("", {}))
    monkeypatch.setattr(inner, "_settings", replace(inner._settings, allow_weak=True))
    assert sandbox.runner.run(sandbox.pool.render("a", {})) == "a"


FORGED = [frames.Reflected(Reflection("", (), ())), frames.Rendered(""), frames.Signed(UNKNOWN)]


@pytest.mark.parametrize("forged", FORGED)
def test_a_worker_that_answers_another_question_is_a_broken_protocol(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, forged: frames.WorkerMessage
) -> None:
    """A worker for templates that was taken over must not hand out a guard, nor one that parses a text."""

    async def lie(self: Session, job: object) -> frames.WorkerMessage:
        await honest(self, job)  # type: ignore[arg-type]
        return forged

    honest = Session.converse
    monkeypatch.setattr(Session, "converse", lie)
    kernel = "@compute @workgroup_size(1) fn main() { }"
    asks: dict[type, Any] = {
        frames.Reflected: lambda: sandbox.pool.render(kernel, {}),
        frames.Rendered: lambda: sandbox.pool.sign("x = 1"),
        frames.Signed: lambda: sandbox.pool.reflect(kernel),
    }
    with pytest.raises(FrameError, match=f"the worker sent {type(forged).__name__} about a"):
        sandbox.runner.run(asks[type(forged)]())


def test_nothing_is_left_after_the_end_and_nothing_begins_then() -> None:
    async def scenario() -> bool:
        pool, unused = WorkerPool(PoolSettings(size=1)), WorkerPool(PoolSettings(size=1))
        await pool.render("", {})
        inner = pool._inner["template"]
        for each in (pool, unused):
            await each.close()
            with pytest.raises(WorkerCrashedError, match="is closed"):
                await each.render("", {})
        return inner.zygote_pid is None and not inner._stock._ready and not unused._inner

    assert asyncio.run(scenario())
