"""Every setting of the server, in one table, from flags, the environment (`KERNELGATE_…`) or a file of TOML.

Owns names, defaults and maxima, and the answer to "which limits does this run get". Must not know HTTP.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from api.errors import InvalidRequest, LimitTooHigh, SettingInvalid
from api.logs import Form
from api.quotas import Quotas, parse
from shaders.guard.budget import MOST_FUEL
from shaders.suggestions import meant

MIB = 1 << 20
VERSION = version("kernelgate")


def _read(path: Path) -> dict[str, Any]:
    """The settings in a file of TOML. Raises OSError; `SettingInvalid`, which names the file, for what is not TOML."""
    try:
        return tomllib.loads(path.read_text())
    except ValueError as error:
        raise SettingInvalid(f"{path}: {error}") from None


class RunLimits(msgspec.Struct, frozen=True):
    """What one run may use: seconds, MiB, bytes of output, device milliseconds, dispatches, tensors held at once, fuel
    of each invocation."""

    wall_s: float
    cpu_s: float
    memory_mb: int
    output_bytes: int
    device_ms: float
    dispatches: int
    handles: int = 0  # in runs stored before there was this limit
    fuel: int = MOST_FUEL


def default_data_folder() -> Path:
    """The data folder when `KERNELGATE_DATA` is unset: `kernelgate` under the XDG data home."""
    home = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(home).expanduser() / "kernelgate"


class Settings(BaseSettings):
    """The server's settings. What is given wins over the environment, where each is `KERNELGATE_` and its name in
    capitals, and that over the file `config`, where it has its own name.
    """

    model_config = SettingsConfigDict(env_prefix="KERNELGATE_", extra="forbid")

    config: Path | None = Field(default=None, description="file of settings, as TOML")
    host: str = Field(
        default="127.0.0.1",
        description="address to listen on; beyond loopback needs tls_cert or behind_proxy",
    )
    port: int = Field(default=8765, ge=0, le=65535, description="port to listen on; 0 takes a free one")
    behind_proxy: bool = Field(
        default=False, description="a proxy in front ends TLS: listening beyond loopback is meant"
    )
    console_hosts: tuple[str, ...] = Field(
        default=(),
        description="JSON list of host names that browsers may know the console by, beside loopback's",
    )
    tls_cert: Path | None = Field(
        default=None, description="PEM of the server's certificate and those above it: HTTPS alone is served"
    )
    tls_key: Path | None = Field(
        default=None, description="PEM of the certificate's key; unset: it is in the certificate's file"
    )
    connections: int = Field(default=900, ge=1, description="connections at once; one more is closed")
    patience_s: float = Field(
        default=30, gt=0, description="seconds that a client may keep the server waiting inside a request"
    )
    data: Path = Field(
        default_factory=default_data_folder, description="folder for the database, blobs and key"
    )
    database_url: SecretStr | None = Field(
        default=None,
        description="PostgreSQL, as postgresql://USER:PASSWORD@HOST/NAME; unset: SQLite in the data folder",
    )
    log_format: Form = Field(
        default="text", description="form of the log on standard error: text, or json, an object a line"
    )
    otel: bool = Field(
        default=False, description="send traces where OpenTelemetry's environment says; needs the extra otel"
    )
    adapter: str | None = Field(
        default=None, description="numpy, null, cpu, discrete, or part of an adapter's name; unset: the best"
    )

    allow_weak_sandbox: bool = Field(
        default=False, description="run scripts even where there is no wall around workers (level process)"
    )
    allow_native: bool = Field(
        default=False,
        description="take grants.native: CPython and NumPy behind the system's walls alone, at level full or hardened",
    )
    workers: int = Field(default=4, ge=1, description="worker processes kept ready")
    runs_at_once: int = Field(
        default=max(4, 2 * (os.cpu_count() or 2)), ge=1, description="runs in progress at the same time"
    )
    queue_length: int = Field(default=1000, ge=1, description="runs that may wait; one more is answered 503")
    queue_length_of_key: int = Field(
        default=250, ge=1, description="runs of one key that may wait; one more is answered 429"
    )
    wait_s: float = Field(
        default=300, gt=0, description="longest `Prefer: wait`; longer ones are shortened to it"
    )
    drain_s: float = Field(
        default=10, ge=0, description="seconds that running work gets to end when the server stops"
    )
    start_s: float = Field(
        default=60, gt=0, description="seconds that a request waits for a device that is starting"
    )
    device_deadline_s: float = Field(default=30, gt=0, description="seconds one device request may take")
    host_steps: bool = Field(
        default=True,
        description="on a CPU adapter, NumPy's BLAS computes large matrix products in the device's memory",
    )
    fuel: int | None = Field(
        default=None,
        ge=1,
        le=MOST_FUEL,
        description="fuel of a kernel's thread where a dispatch names none; unset: measured, 25 ms' worth on a GPU",
    )
    watchdog_s: float = Field(
        default=2,
        gt=0,
        description="seconds one slice of device work may take; beyond it the process is killed",
    )
    compile_s: float = Field(
        default=30,
        gt=0,
        description="seconds a kernel may take to compile and to be dispatched for the first time",
    )
    quick_compile_s: float = Field(
        default=3,
        gt=0,
        description="seconds until a kernel that compiles goes on in a second compiler, out of others' way",
    )
    spare: bool | None = Field(
        default=None, description="keep a second device process ready; unset: but for numpy and null"
    )
    heavy_compile_ms: float = Field(
        default=250, gt=0, description="kernels that took longer to compile run in a process of their own"
    )
    lane_idle_s: float = Field(
        default=60,
        gt=0,
        description="seconds without such kernels until that process, or the second compiler, ends",
    )

    json_bytes: int = Field(default=16 * MIB, gt=0, description="largest JSON body")
    upload_bytes: int = Field(default=1024 * MIB, gt=0, description="largest tensor, and largest upload")
    read_bytes: int = Field(
        default=64 * MIB, gt=0, description="largest tensor that a script may read into Python"
    )
    device_bytes: int | None = Field(
        default=None,
        gt=0,
        description="most memory of the device; unset: all that a GPU gives, half of the machine's on a CPU adapter",
    )
    resident_bytes: int = Field(
        default=1024 * MIB,
        gt=0,
        description="tensors kept on the device; beyond it the longest unused leave",
    )
    spill_bytes: int = Field(
        default=4096 * MIB,
        ge=0,
        description="disk for outputs of dispatches and ops that had to leave the device, until they come back",
    )
    transient_tensors: int = Field(
        default=4096, gt=0, description="outputs of dispatches and ops kept; the oldest leave"
    )
    reserve_bytes: int = Field(
        default=16 * MIB,
        ge=0,
        description="room kept in the data folder, so that deleting works on a full disk",
    )
    overlay_bytes: int = Field(
        default=16 * MIB, ge=0, description="most bytes that a run may change in its overlays"
    )
    inline_elements: int = Field(default=65_536, ge=0, description="largest tensor sent inside JSON")
    events_per_run: int = Field(
        default=10_000, gt=0, description="events stored for a run; output is kept beyond it"
    )
    keep_runs_days: float = Field(
        default=90, ge=0, description="days that finished runs are stored; 0: for ever"
    )
    keep_runs_bytes: int = Field(
        default=0, ge=0, description="bytes that finished runs may take; the oldest leave; 0: no bound"
    )
    keep_results_days: float = Field(
        default=0, ge=0, description="days until a finished run loses result, output and files; 0: none"
    )
    keep_results_bytes: int = Field(
        default=4096 * MIB, ge=0, description="likewise, bytes that they may take; the oldest go; 0: no bound"
    )
    keep_events_days: float = Field(
        default=30, ge=0, description="days that the events of finished runs are stored; 0: as the run"
    )
    keep_events_bytes: int = Field(
        default=4096 * MIB, ge=0, description="bytes that they may take; the oldest leave; 0: no bound"
    )
    keep_tensors_days: float = Field(
        default=30, ge=0, description="days that tensors without persist stay unused; 0: for ever"
    )
    keep_tensors_bytes: int = Field(
        default=16384 * MIB,
        ge=0,
        description="bytes that they may take; the longest unused leave; 0: no bound",
    )
    sweep_s: float = Field(default=60, gt=0, description="seconds between two looks at what has to leave")
    event_streams: int = Field(default=32, gt=0, description="event streams that one key may have open")

    sessions: int = Field(default=32, ge=0, description="sessions open at once; each has a worker")
    sessions_of_key: int = Field(default=4, ge=0, description="sessions that one key may have open")
    session_idle_s: float = Field(
        default=600,
        gt=0,
        description="seconds without a cell after which a session ends; it may ask for less",
    )

    user_quotas: dict[str, int | float | None] = Field(
        default={
            "runs_at_once": 100,
            "runs_a_minute": 600,
            "resident_bytes": 512 * MIB,
            "stored_bytes": 10_240 * MIB,
            "kernels": 1000,
        },
        description="quotas of users' keys that have no others, as JSON; null, or one that is left out, is no bound",
    )
    admin_quotas: dict[str, int | float | None] = Field(
        default={}, description="quotas of admins' keys that have no others, likewise"
    )
    audit_days: float = Field(default=90, gt=0, description="days that the audit log is kept")

    default_wall_s: float = Field(default=60, gt=0, description="wall seconds of a run that asks for none")
    default_cpu_s: float = Field(default=60, gt=0, description="CPU seconds of a run that asks for none")
    default_memory_mb: int = Field(default=512, gt=0, description="MiB of a run that asks for none")
    default_output_bytes: int = Field(
        default=MIB, ge=0, description="bytes printed by a run that asks for none"
    )
    default_device_ms: float = Field(
        default=60_000, gt=0, description="device milliseconds of a run that asks for none"
    )
    default_dispatches: int = Field(
        default=100_000, gt=0, description="dispatches of a run that asks for none"
    )
    default_handles: int = Field(
        default=10_000, gt=0, description="tensors held at once by a run that asks for none"
    )
    default_fuel: int = Field(
        default=MOST_FUEL,
        ge=1,
        le=MOST_FUEL,
        description="fuel of a kernel's thread in a run that asks for none",
    )
    max_wall_s: float = Field(default=3600, gt=0, description="most wall seconds a run may ask for")
    max_cpu_s: float = Field(default=3600, gt=0, description="most CPU seconds a run may ask for")
    max_memory_mb: int = Field(default=4096, gt=0, description="most MiB a run may ask for")
    max_output_bytes: int = Field(default=16 * MIB, ge=0, description="most printed bytes a run may ask for")
    max_device_ms: float = Field(
        default=3_600_000, gt=0, description="most device milliseconds a run may ask for"
    )
    max_dispatches: int = Field(default=10_000_000, gt=0, description="most dispatches a run may ask for")
    max_handles: int = Field(
        default=100_000, gt=0, description="most tensors held at once that a run may ask for"
    )
    max_fuel: int = Field(
        default=MOST_FUEL,
        ge=1,
        le=MOST_FUEL,
        description="most fuel of a kernel's thread, in runs and outside",
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Where settings come from, the strongest first. Raises OSError and `SettingInvalid` of the file."""
        path = init_settings().get("config") or env_settings().get("config")
        if path is None:
            return init_settings, env_settings
        file = InitSettingsSource(settings_cls, init_kwargs=_read(Path(path)))
        return init_settings, env_settings, file

    @classmethod
    def read(cls, **given: Any) -> Settings:
        """The settings, with those `given`. Raises `SettingInvalid` that names the first that is wrong, and OSError."""
        try:
            return cls(**given)
        except ValidationError as error:
            raise _invalid(error.errors(include_url=False)[0]) from None
        except SettingsError as error:  # what pydantic-settings says of a variable that is to be JSON
            name = str(error).split('"')[1]
            raise _invalid({"loc": (name,), "msg": f"it is not JSON: {error.__cause__}"}) from None

    @property
    def database(self) -> Path | str:
        """Where the database is: a file for SQLite, or a URL."""
        url = self.database_url
        return self.data / "kernelgate.db" if url is None else url.get_secret_value()

    @field_validator("user_quotas", "admin_quotas")
    @classmethod
    def _quotas(cls, value: dict[str, int | float | None]) -> dict[str, int | float | None]:
        try:
            return dict(parse(value))
        except InvalidRequest as error:
            raise ValueError(error.message) from None

    @property
    def quotas(self) -> dict[str, Quotas]:
        """The quotas of each role's keys that have no others."""
        return {"admin": Quotas().replaced(self.admin_quotas), "user": Quotas().replaced(self.user_quotas)}

    def limits(self, asked: dict[str, float]) -> RunLimits:
        """The limits of a run that asks for `asked`; the rest are defaults. Raises `LimitTooHigh`."""
        chosen = {}
        for name in RunLimits.__struct_fields__:
            maximum = getattr(self, f"max_{name}")
            value = asked.get(name, min(getattr(self, f"default_{name}"), maximum))
            if value > maximum:
                raise LimitTooHigh(
                    f"the limit {name} of {value:g} is over this server's maximum of {maximum:g}",
                    hint=f"Ask for {maximum:g} or less.",
                )
            chosen[name] = value
        return RunLimits(**chosen)


def _invalid(error: Mapping[str, Any]) -> SettingInvalid:
    """Ours for an error of pydantic's."""
    name, fields = str(error["loc"][0]) if error["loc"] else "", Settings.model_fields
    if name not in fields:
        return SettingInvalid(
            f"there is no setting {name[:80]!r}", hint=meant(name, fields, "docs/settings.md has all.")
        )
    return SettingInvalid(
        f"the setting {name}: {error['msg']}", hint=f"It is the {fields[name].description}."
    )
