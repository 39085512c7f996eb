"""Which paths a device process may reach: what drivers need and their variables name, and nobody's own folders."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sandbox.walls.device_files import allowed
from sandbox.walls.landlock import DEVICE, LIST, READ, WRITE


def manifest(path: Path, library: object) -> str:
    path.write_text(json.dumps({"file_format_version": "1.0.0", "ICD": {"library_path": library}}))
    return str(path)


def test_only_paths_that_exist_are_named_and_only_one_is_written() -> None:
    found = allowed([], {})
    assert all(os.path.exists(path) for path in found)
    assert {path for path, rights in found.items() if rights == WRITE} <= {"/proc/self/oom_score_adj"}
    assert {path for path, rights in found.items() if rights == LIST} <= {"/proc/self/task"}
    assert all(path.startswith("/dev/") for path, rights in found.items() if rights == DEVICE)


@pytest.mark.parametrize(
    "path", ["/", "/etc", "/home", "/root", "/tmp", "/var", "/proc", "/dev", "/run", "/usr"]
)
def test_no_folder_of_people_or_of_the_system_as_a_whole_is_named(path: str) -> None:
    assert path not in allowed([], dict(os.environ))


def test_the_home_folder_counts_only_for_its_drivers(tmp_path: Path) -> None:
    drivers = tmp_path / ".local" / "share" / "vulkan"
    drivers.mkdir(parents=True)
    found = allowed([], {"HOME": str(tmp_path)})
    assert {path for path in found if path.startswith(str(tmp_path))} == {str(drivers)}


@pytest.mark.parametrize("variable", ["VK_ICD_FILENAMES", "VK_DRIVER_FILES", "VK_ADD_DRIVER_FILES"])
def test_a_manifest_that_is_named_may_be_read_and_the_library_that_it_names(
    variable: str, tmp_path: Path
) -> None:
    (tmp_path / "driver.so").touch()
    (tmp_path / "other.so").touch()
    path = manifest(tmp_path / "icd.json", "./driver.so")
    found = allowed([], {variable: f"{path}{os.pathsep}/nonexistent.json"})
    ours = {name for name in found if name.startswith(str(tmp_path))}
    assert {os.path.normpath(name) for name in ours} == {path, str(tmp_path / "driver.so")}
    assert {found[name] for name in ours} == {READ}


@pytest.mark.parametrize("library", ["libdriver.so.0", 7, None, ["x"]])
def test_a_manifest_that_names_no_path_adds_itself_alone(library: object, tmp_path: Path) -> None:
    path = manifest(tmp_path / "icd.json", library)
    found = allowed([], {"VK_DRIVER_FILES": path})
    assert {name for name in found if name.startswith(str(tmp_path))} == {path}


def test_a_manifest_that_is_broken_is_the_loader_s_to_judge(tmp_path: Path) -> None:
    (tmp_path / "icd.json").write_text("{")
    assert allowed([], {"VK_DRIVER_FILES": str(tmp_path / "icd.json")})[str(tmp_path / "icd.json")] == READ


def test_library_folders_and_data_folders_that_variables_name_may_be_read(tmp_path: Path) -> None:
    for name in ("lib", "data/vulkan", "data/other"):
        (tmp_path / name).mkdir(parents=True)
    variables = {"LD_LIBRARY_PATH": str(tmp_path / "lib"), "XDG_DATA_DIRS": str(tmp_path / "data")}
    found = {path for path in allowed([], variables) if path.startswith(str(tmp_path))}
    assert found == {str(tmp_path / "lib"), str(tmp_path / "data" / "vulkan")}
