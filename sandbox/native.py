"""The language of native scripts: plain CPython with the real NumPy, and no wall but the operating system's.

Owns what a native worker has imported, as it can open no file, and how its script begins. The package is imported
only here, by name, in a zygote of its own: no other worker holds it. Must not know sockets.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import importlib.util
import os
import sys
import types
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from typing import Any

from sandbox import library
from sandbox.library import stored
from sandbox.policy import modules, names, tracebacks, views
from sandbox.policy.compiler import FILENAME, keep_value, syntax_error
from sandbox.records import opened
from shaders.errors import KernelgateError

PACKAGES = ("numpy",)
"""What a native grant may name."""

_STDLIB = """
    argparse ast asyncio atexit codecs configparser contextvars copyreg ctypes dis errno fnmatch gc getpass
    glob gzip bz2 lzma html.parser importlib.util inspect ipaddress keyword linecache locale logging.handlers
    marshal mimetypes mmap multiprocessing numbers optparse os pathlib pickle pickletools pkgutil platform
    plistlib queue reprlib resource runpy sched select selectors shelve shlex shutil signal site socket
    sqlite3 ssl stat string subprocess symtable sys sysconfig tarfile tempfile threading timeit token
    tokenize tomllib trace traceback tracemalloc types typing unittest unittest.mock urllib.request warnings
    weakref xml.etree.ElementTree zipfile zoneinfo _strptime stringprep asyncio.selector_events
    concurrent.futures.thread concurrent.futures.process multiprocessing.shared_memory multiprocessing.pool
    multiprocessing.queues multiprocessing.synchronize http.client email.message importlib.resources
    importlib.metadata xml.dom.minidom
"""
_NUMPY = "numpy.testing numpy.ma numpy.polynomial numpy.lib.stride_tricks numpy.lib.scimath numpy.typing numpy.matlib"
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def warm() -> None:
    """Import and touch everything that a worker may need. Once, in the zygote, which must keep to one thread."""
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    for name in [*_STDLIB.split(), *modules.ALLOWED]:
        _import_if_there(name)
    _warm_numpy()
    _provide_ours()
    sys.path[:] = []
    sys.path_importer_cache.clear()
    sys.argv = ["script.py"]
    sys.meta_path.append(_LastFinder())
    stored.import_by(_stored)


def _import_if_there(name: str) -> None:
    with suppress(ImportError):  # a Python may be built without it
        importlib.import_module(name)


def _warm_numpy() -> None:
    """Load what NumPy loads late, and let BLAS and LAPACK take their buffers, which count as the zygote's."""
    numpy: Any = importlib.import_module("numpy")
    for name in numpy.__all__:
        getattr(numpy, name)
    for name in _NUMPY.split():
        importlib.import_module(name)
    square = numpy.eye(64)
    for function in (numpy.linalg.svd, numpy.linalg.inv, numpy.linalg.eigh, numpy.linalg.eig, numpy.fft.fft):
        function(square @ square)
    repr(square / 3)
    numpy.random.default_rng().normal(size=3)


def _provide_ours() -> None:
    """Our own modules, as real ones. What stands in for a part of the library in ordinary scripts is not needed."""
    library.install()
    foreign = {*sys.stdlib_module_names, *PACKAGES}
    ours = [name for name in views.provided() if name.partition(".")[0] not in foreign]
    for name in ours:
        sys.modules[name] = types.ModuleType(name)
    for name in ours:
        members = {key: sys.modules.get(f"{name}.{key}", value) for key, value in views.members(name).items()}
        vars(sys.modules[name]).update(members)


class _LastFinder(MetaPathFinder, Loader):
    """What is not loaded yet: the owner's stored scripts, and an error that says why there is nothing else."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        """A spec for a stored script. Raises `ModuleNotFoundError` for anything else."""
        if modules.can_be_stored(fullname) and stored.source_of(fullname) is not None:
            return importlib.util.spec_from_loader(
                fullname, self, origin=tracebacks.stored_filename(fullname)
            )
        raise ModuleNotFoundError(
            f"No module named {fullname!r} in the sandbox: it has Python's library, {', '.join(PACKAGES)} and "
            "your stored scripts",
            name=fullname,
        )

    def exec_module(self, module: types.ModuleType) -> None:
        """Run a stored script as the body of `module`."""
        name = module.__name__
        source = stored.source_of(name) or ""
        try:
            code = compiled(source, tracebacks.stored_filename(name))
        except KernelgateError as error:
            raise stored.bad_script(name, error) from None
        exec(code, vars(module))


def _stored(name: str) -> types.ModuleType | None:
    return importlib.import_module(name) if modules.can_be_stored(name) else None


def begin(entered: Callable[[], None]) -> dict[str, Any]:
    """The globals of this process's script, which is its `__main__`; `entered` is called whenever its `main` is."""
    sys.modules["numpy"].random.seed()  # the zygote's state is every worker's
    vars(builtins)[names.ENTERED] = entered
    space = vars(sys.modules["__main__"])
    space["__builtins__"] = builtins
    for name, value in library.builtins().items():
        space[name] = sys.modules[name] if isinstance(value, views.Namespace) else value
    return space


def compiled(source: str, filename: str = FILENAME, *, valued: bool = False) -> types.CodeType:
    """The code of a script, as it is; of a notebook's cell if `valued`. Raises `ScriptSyntaxError`."""
    tracebacks.remember(source, filename)
    tracebacks.show_to_library()
    try:
        tree = ast.parse(source, filename, "exec")
        if filename == FILENAME:
            _mark_entry(tree)
        flags = 0
        if valued:
            keep_value(tree)
            flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        code: types.CodeType = compile(tree, filename, "exec", flags, dont_inherit=True)
    except (SyntaxError, RecursionError, ValueError) as error:
        raise syntax_error(source, error) from None
    return code


def _mark_entry(tree: ast.Module) -> None:
    """Let the script's own `main` tell that it was called."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == "main":
            call = ast.Expr(ast.Call(ast.Name(names.ENTERED, ast.Load()), [], []))
            position = 0 if ast.get_docstring(node, clean=False) is None else 1
            node.body.insert(position, ast.copy_location(call, node))
            ast.fix_missing_locations(node)


def plain(result: Any) -> Any:
    """`result` with a list in place of each array, a number in place of each of NumPy's scalars, and a dict in place of
    each dataclass."""
    numpy: Any = sys.modules["numpy"]
    if isinstance(result, numpy.ndarray | numpy.generic):
        return plain(result.tolist()) if result.dtype.hasobject else result.tolist()
    if isinstance(result, dict):
        return {plain(key): plain(value) for key, value in result.items()}
    if isinstance(result, list | tuple):
        return [plain(item) for item in result]
    fields = opened(result)
    return result if fields is None else plain(fields)
