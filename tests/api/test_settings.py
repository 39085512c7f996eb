"""`api/settings.py`: one table, from what is given, the environment and a file, in this order."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.errors import LimitTooHigh, SettingInvalid
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


def test_what_is_given_wins_over_the_environment_that_over_the_file_and_that_over_the_default(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "kernelgate.toml"
    file.write_text(
        'port = 1\nworkers = 1\nqueue_length = 1\nuser_quotas = { kernels = 7 }\ndata = "/there"\n'
    )
    monkeypatch.setenv("KERNELGATE_WORKERS", "2")
    monkeypatch.setenv("KERNELGATE_QUEUE_LENGTH", "2")
    monkeypatch.setenv("KERNELGATE_CONFIG", str(file))
    monkeypatch.delenv("KERNELGATE_DATA", raising=False)
    settings = Settings(queue_length=3)
    assert (settings.port, settings.workers, settings.queue_length, settings.connections) == (1, 2, 3, 900)
    assert settings.quotas["user"].kernels == 7
    assert settings.data == Path("/there")
    other = tmp_path / "other.toml"
    other.write_text("port = 5\n")
    assert Settings(config=other).port == 5, "the file that is given, not that of the environment"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("prot = 5", "there is no setting 'prot'"),
        ("port =", "kernelgate.toml"),
        ("port = 70000", "the setting port: Input should be less than or equal to 65535"),
        ("\xff", "kernelgate.toml"),
    ],
)
def test_a_file_that_is_wrong_is_an_error_that_says_where(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "kernelgate.toml"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(SettingInvalid, match=says):
        Settings.read(config=file)


def test_a_setting_that_is_nearly_right_is_answered_with_the_right_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kernelgate.toml").write_text("prot = 5")
    with pytest.raises(SettingInvalid) as caught:
        Settings.read(config=tmp_path / "kernelgate.toml")
    assert caught.value.hint == "Did you mean port?"
    monkeypatch.setenv("KERNELGATE_PORT", "high")
    with pytest.raises(SettingInvalid) as caught:
        Settings.read()
    assert caught.value.hint == "It is the port to listen on; 0 takes a free one."


@pytest.mark.parametrize("name", ["user_quotas", "console_hosts"])
def test_a_variable_that_is_not_json_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"KERNELGATE_{name.upper()}", "{")
    with pytest.raises(SettingInvalid, match=f"the setting {name}: it is not JSON: Expecting"):
        Settings.read()


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"none\.toml"):
        Settings(config=tmp_path / "none.toml")
