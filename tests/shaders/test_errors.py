"""`shaders/errors.py`: what an error says to do next."""

from __future__ import annotations

from shaders.errors import ErrorRecord, KernelgateError


class Curable(KernelgateError):
    """An error whose class knows what helps. Without a code of its own it is in no catalogue."""

    remedy = "Take a rest."


def test_an_error_without_a_hint_has_the_remedy_of_its_class() -> None:
    assert Curable("ill").record().hint == "Take a rest."
    assert KernelgateError("ill").record().hint is None


def test_a_hint_of_its_own_stands_before_the_remedy() -> None:
    assert Curable("ill", hint="Drink.").record().hint == "Drink."


def test_a_record_comes_back_as_it_was_sent() -> None:
    for record in (ErrorRecord("run_not_found", "ill"), Curable("ill").record()):
        assert KernelgateError.from_record(record).record() == record
