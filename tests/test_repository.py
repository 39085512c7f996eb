"""The repository keeps its own rules: which folder imports which, sizes, docstrings, and what no file may say."""

from __future__ import annotations

import ast
import graphlib
import statistics
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = ("shaders", "ops", "host", "sandbox", "api", "kernelgate")
MAY_IMPORT = {
    "shaders": {"shaders"},
    "ops": {"ops", "shaders"},
    "host": {"host", "ops", "shaders"},
    "sandbox": {"sandbox", "ops", "shaders"},
    "api": {"api", "host", "sandbox", "ops", "shaders"},
    "kernelgate": {"kernelgate"},
}
LINE_CEILING = 600
MEDIAN_CEILING = 170
FUNCTION_MEDIAN_CEILING = 10
BYTES_CEILING = 5_000_000
EXECUTABLE = {"scripts/setup", "scripts/run", "scripts/test", ".ci/run"}


@cache
def tracked() -> tuple[Path, ...]:
    """Every file that git tracks or would track, that exists."""
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
        timeout=30,
    ).stdout.split("\0")
    return tuple(ROOT / name for name in sorted(names) if name and (ROOT / name).is_file())


def modules(*folders: str) -> list[Path]:
    return [path for path in tracked() if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in folders]


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), str(path))


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imported(module: ast.AST) -> Iterator[tuple[str, int]]:
    """The dotted names that `module` imports, with lines."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (f"{'.' * node.level}{node.module or ''}", node.lineno)


def offences(module: Path, wrong: Iterator[tuple[str, int]] | list[tuple[str, int]]) -> list[str]:
    return [f"{name(module)}:{line}: {what}" for what, line in wrong]


@pytest.mark.parametrize("folder", OURS)
def test_a_folder_imports_only_the_folders_below_it(folder: str) -> None:
    wrong = []
    for module in modules(folder):
        wrong += offences(
            module,
            [
                (f"imports {what}", line)
                for what, line in imported(tree(module))
                if what.startswith(".") or (what.split(".")[0] in set(OURS) - MAY_IMPORT[folder])
            ],
        )
    assert not wrong


def test_the_parts_of_api_import_one_another_one_way() -> None:
    """A part is a package of `api/`, or a module beside them."""
    uses: dict[str, set[str]] = defaultdict(set)
    for module in modules("api"):
        own = module.relative_to(ROOT / "api").with_suffix("").parts[0]
        uses[own] |= {part for part in parts_of_api(tree(module)) if part != own}
    try:
        graphlib.TopologicalSorter(uses).prepare()
    except graphlib.CycleError as error:
        pytest.fail(f"a circle: {' from '.join(error.args[1])}")


def parts_of_api(module: ast.Module) -> Iterator[str]:
    """The parts of `api/` that `module` imports from."""
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module] if node.module != "api" else [f"api.{alias.name}" for alias in node.names]
            yield from (name.split(".")[1] for name in names if name.startswith("api."))


@pytest.mark.parametrize(
    ("package", "allowed"),
    [
        ("wgpu", ("host/native/",)),
        ("numpy", ("ops/reference", "host/", "api/", "kernelgate/values.py")),
        ("jinja2", ("shaders/", "api/")),
        ("cryptography", ("api/auth/secrets.py",)),
        ("fastapi", ("api/",)),
        ("sqlalchemy", ("api/",)),
        ("RestrictedPython", ("sandbox/",)),
        ("httpx2", ("kernelgate/", "sandbox/gates/")),
    ],
)
def test_a_package_is_imported_only_where_it_belongs(package: str, allowed: tuple[str, ...]) -> None:
    wrong = []
    for module in modules(*OURS):
        if name(module).startswith(allowed):
            continue
        wrong += offences(module, [(w, n) for w, n in imported(tree(module)) if w.split(".")[0] == package])
    assert not wrong


def test_no_function_imports_our_own_modules_to_dodge_a_circle() -> None:
    wrong = []
    for module in modules(*OURS):
        for function in ast.walk(tree(module)):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                wrong += offences(
                    module, [(what, line) for what, line in imported(function) if what.split(".")[0] in OURS]
                )
    assert not wrong


def test_no_type_checking_block_hides_a_circle() -> None:
    wrong = []
    for module in modules(*OURS):
        for node in ast.walk(tree(module)):
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                wrong += offences(module, [(w, n) for w, n in imported(node) if w.split(".")[0] in OURS])
    assert not wrong


def test_no_file_is_longer_than_the_ceiling() -> None:
    """Data of tests (hostile kernels, escapes) may be of any length."""
    code = [path for path in tracked() if path.suffix in (".py", ".j2", ".wgsl", ".js", ".css")]
    long = {name(path): path.read_text().count("\n") for path in code if not is_test_data(path)}
    assert not {path: length for path, length in long.items() if length > LINE_CEILING}


def is_test_data(path: Path) -> bool:
    parts = path.relative_to(ROOT).parts
    return parts[0] == "tests" and not path.name.startswith(("test_", "conftest"))


def test_the_median_module_is_short() -> None:
    lengths = [
        path.read_text().count("\n")
        for path in modules(*OURS)
        if path.name != "__init__.py" and path.stat().st_size
    ]
    assert statistics.median(lengths) <= MEDIAN_CEILING


def test_the_median_function_is_short() -> None:
    lengths = [
        (node.end_lineno or node.lineno) - node.lineno + 1
        for module in modules(*OURS)
        for node in ast.walk(tree(module))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    assert statistics.median(lengths) <= FUNCTION_MEDIAN_CEILING


def test_every_module_says_what_it_owns() -> None:
    tests = [path for path in modules("tests") if not is_test_data(path)]
    silent = [
        name(module)
        for module in [*modules(*OURS, "bench", "examples"), *tests]
        if not ast.get_docstring(tree(module))
    ]
    assert not silent


def test_every_public_function_and_class_has_a_docstring() -> None:
    silent = []
    for module in modules(*OURS):
        for node in tree(module).body:
            silent += offences(module, [(what, line) for what, line in undocumented(node)])
    assert not silent


def undocumented(node: ast.stmt) -> Iterator[tuple[str, int]]:
    """The public names at `node`, and the public methods of a public class, that have no docstring.

    The methods of a derived class are its base's, and overloads are told of by what they are forms of.
    """
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) or node.name.startswith(
        "_"
    ):
        return
    is_overload = "overload" in map(ast.unparse, node.decorator_list)
    if not ast.get_docstring(node) and not is_overload:
        yield node.name, node.lineno
    if isinstance(node, ast.ClassDef) and {ast.unparse(base) for base in node.bases} <= {"Protocol"}:
        for member in node.body:
            yield from ((f"{node.name}.{what}", line) for what, line in undocumented(member))


def test_only_the_scripts_are_executable() -> None:
    modes = subprocess.run(
        ["git", "ls-files", "--stage"], cwd=ROOT, check=True, capture_output=True, text=True, timeout=30
    ).stdout.splitlines()
    executable = {line.split("\t")[1] for line in modes if line.startswith("100755")}
    assert executable == EXECUTABLE


def test_no_file_is_large() -> None:
    assert not [name(path) for path in tracked() if path.stat().st_size > BYTES_CEILING]


def test_the_licence_is_whole() -> None:
    text = (ROOT / "LICENSE").read_text()
    assert "Apache License" in text
    assert "END OF TERMS AND CONDITIONS" in text


# Written in two halves, so that this file passes its own test.
FORBIDDEN = {
    "a path outside the repository": [
        "../" + "shared",
        "/work/" + "main",
        "/work/" + "shared",
        "/work/" + "scratch",
    ],
    "a home folder of one machine": ["/root" + "/", "/home" + "/"],
    "a package registry's host": [
        "pypi" + ".org",
        "pythonhosted" + ".org",
        "npmjs" + ".com",
        "deb.debian" + ".org",
    ],
    "an unfinished thought": ["TO" + "DO", "FIX" + "ME", "XX" + "X"],
}


@pytest.mark.parametrize("reason", FORBIDDEN)
def test_no_file_names(reason: str) -> None:
    wrong = []
    for path in tracked():
        text = path.read_text(errors="replace") if path.suffix not in (".npz", ".png") else ""
        wrong += [f"{name(path)}: {word}" for word in FORBIDDEN[reason] if word in text]
    assert not wrong
