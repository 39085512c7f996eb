"""Random programs of loops on an adapter, against an interpreter of the same programs.

A guarded kernel either gives what the program means, bit by bit, or says that a loop ran out; and it says so of no
program whose loops are short.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from host.engine import EngineSettings, finish
from host.engines.wgpu import WgpuEngine
from host.errors import DriverLoopLimit, FuelExhausted
from host.frames import Bound, DispatchKernel, Fresh, Step, Uniform
from shaders.guard.budget import fuel_budget, turns_budget
from shaders.reflect import reflect
from tests.host.engines import ADAPTER, take
from tests.host.loop_programs import GROUPS, LANES, MOST, UNIFORM, WORDS, Lane, Text, TooLong, programs

FUEL = 1 << 15


@pytest.fixture(scope="module", params=["turns", "fuel"])
def engine(request: pytest.FixtureRequest) -> Iterator[WgpuEngine]:
    """An engine that counts either; with little fuel no driver's limit is near."""
    engine = WgpuEngine(EngineSettings(adapter=ADAPTER))
    if request.param == "turns" and engine._guarded.kind != "turns":
        pytest.skip("this adapter does not count turns")
    engine._guarded.kind, engine._guarded.fuel = request.param, FUEL
    yield engine
    engine.close()


def results(engine: WgpuEngine, source: str) -> list[list[int]] | None:
    """What each invocation wrote; None where a loop ran out, and was named."""
    engine.add_kernel("k", reflect(source), warm=False)
    uniform = Uniform("p", np.array([*UNIFORM[:2], 0, 0, *UNIFORM[2:], 0, 0], np.uint32).tobytes())
    step = Step("main", (GROUPS, 1, 1), [Bound("o", 1), uniform])
    fresh = [Fresh(1, "u32", (GROUPS * LANES * WORDS,))]
    try:
        finish(engine.dispatch(DispatchKernel(1, 1, "me", "k", [step], fresh), lambda: None))
    except (FuelExhausted, DriverLoopLimit) as error:
        line, column = error.line or 0, error.column or 0
    else:
        data = take(engine, 1)
        engine.free([1])
        return np.frombuffer(data, np.uint32).reshape(-1, WORDS).tolist()  # type: ignore[no-any-return]
    assert source.split("\n")[line - 1][column - 1 :].startswith(("for", "while", "loop"))
    return None


def allowed(engine: WgpuEngine, source: str) -> int:
    """How many turns the budget surely allows each invocation of a program with loops, whichever they are of."""
    guard = reflect(source).guard
    assert guard is not None
    if engine._guarded.kind == "turns":
        return turns_budget(guard, "main") // max(loop.turns for loop in guard.loops) - 1
    return fuel_budget(guard, "main", FUEL) // max(loop.fuel for loop in guard.loops) - 1


def check(engine: WgpuEngine, program: Text) -> None:
    found = results(engine, program.wgsl)
    most = MOST if found is not None else allowed(engine, program.wgsl)
    lanes: list[Lane] = [{"id": lane, "most": most} for lane in range(GROUPS * LANES)]
    if found is not None:
        assert found == [program.run(lane) for lane in lanes]
        return
    with pytest.raises(TooLong):
        [program.run(lane) for lane in lanes]


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(programs())
def test_a_program_gives_what_it_means_or_says_that_a_loop_ran_out(engine: WgpuEngine, program: Text) -> None:
    check(engine, program)


@pytest.mark.full
@settings(max_examples=1_000, suppress_health_check=list(HealthCheck))
@given(programs())
def test_many_programs_give_what_they_mean_or_say_that_a_loop_ran_out(
    engine: WgpuEngine, program: Text
) -> None:
    check(engine, program)
