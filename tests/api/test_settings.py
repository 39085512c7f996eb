"""`api/settings.py`: one table, from the environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.errors import LimitTooHigh
from api.settings import RunLimits, Settings


def test_every_setting_is_described_and_has_a_default() -> None:
    for name, field in Settings.model_fields.items():
        assert field.description, name
        assert not field.is_required(), name


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KERNELGATE_PORT", "1234")
    monkeypatch.setenv("KERNELGATE_DATA", str(tmp_path))
    monkeypatch.setenv("KERNELGATE_MAX_WALL_S", "5")
    settings = Settings()
    assert (settings.port, settings.data, settings.max_wall_s) == (1234, tmp_path, 5)
    assert settings.limits({}).wall_s == 5, "a default is never over its maximum"


def test_without_a_data_folder_the_xdg_one_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("KERNELGATE_DATA", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert Settings().data == tmp_path / "kernelgate"


@pytest.mark.parametrize("name", RunLimits.__struct_fields__)
def test_a_limit_over_its_maximum_is_an_error_that_names_it(name: str) -> None:
    settings = Settings()
    maximum = getattr(settings, f"max_{name}")
    assert getattr(settings.limits({name: maximum}), name) == maximum
    with pytest.raises(LimitTooHigh) as caught:
        settings.limits({name: maximum + 1})
    assert name in caught.value.message
    assert f"{maximum:g}" in caught.value.message
