"""What scripts may say: the denials with their places, and the corners where the policy rewrites a script."""

from __future__ import annotations

import linecache
import sys

import pytest

from sandbox.errors import ScriptDeniedError, ScriptSyntaxError
from sandbox.policy.compiler import compile_script
from sandbox.policy.names import MARK
from shaders.errors import caret
from tests.sandbox.support import Sandbox

DENIED = {
    "x.__globals__": "attribute '__globals__'",
    "x.gi_frame": "attribute 'gi_frame'",
    "x.__class__ = y": "attribute '__class__'",
    "x.__subclasses__()": "attribute '__subclasses__'",
    "x.format += y": "augmented assignment to 'format'",
    "x.__dict__ += y": "attribute '__dict__'",
    "eval('1')": "eval is not available",
    "exec('1')": "exec is not available",
    "compile('1', '', 'exec')": "compile is not available",
    "globals()": "globals() is not available",
    "locals()": "locals() is not available",
    "__import__('os')": "__import__() is not available",
    "__builtins__": "'__builtins__' is not available",
    "__name__ = 'os'": "'__name__' is not available",
    "from . import x": "relative imports",
    "from x import _y": "'_y' cannot be imported",
    "import _thread": "module '_thread'",
    "from os import *\nfrom nothing import *": "from nothing import *",
    "class A:\n    def __reduce__(self): pass": "'__reduce__' cannot be defined",
    "class A:\n    def __del__(self): pass": "'__del__' cannot be defined",
    "class A:\n    def __getattribute__(self, n): pass": "'__getattribute__' cannot be defined",
    "class A:\n    __class__ = 1": "'__class__' cannot be defined",
    "class A:\n    __module__ = 'os'": "'__module__' cannot be defined",
    "class A:\n    __getattr__ = lambda s, n: 1": "'__getattr__' must be a plain method",
    "class A:\n    __slots__ = names": "'__slots__' must be written out",
    "class A:\n    __slots__ = ('__array_interface__',)": "cannot be a slot",
    "class A(B, _simple=True): pass": "class keyword '_simple'",
    "class A:\n    format: int": "'format' cannot be a field",
    "def f(__x__): pass": "is not available as a parameter",
    "match x:\n    case A(gi_frame=f): pass": "attribute 'gi_frame'",
    f"{MARK}getattr = 1": "is not available in names",
    f"x.{MARK}_y": "is not available in names",
    f"f({MARK}y=1)": "keyword",
    f"import {MARK}y": "is not available",
    f"import math as {MARK}y": "is not available in names",
    f"from math import {MARK}y": "is not available in names",
    f"def f({MARK}y): pass": "is not available as a parameter",
    f"match x:\n    case {MARK}y: pass": "is not available in names",
    f"try: pass\nexcept E as {MARK}y: pass": "is not available in names",
}


def star_names(module: str) -> list[str] | None:
    return ["path"] if module == "os" else None


@pytest.mark.parametrize(("source", "words"), DENIED.items(), ids=lambda text: text[:30])
def test_what_is_denied_names_itself_and_its_place(source: str, words: str) -> None:
    with pytest.raises(ScriptDeniedError) as caught:
        compile_script(source, star_names)
    assert words in f"{caught.value.message} {caught.value.hint}"
    assert caught.value.line
    assert caught.value.snippet is not None
    assert "^" in caught.value.snippet


def test_the_caret_of_a_denied_attribute_points_at_its_name() -> None:
    with pytest.raises(ScriptDeniedError) as caught:
        compile_script("ä = 'ü'; print(ä.real.__globals__)")
    assert caught.value.column == 23
    line, marker = caught.value.snippet.split("\n")  # type: ignore[union-attr]
    assert line[marker.index("^") :].startswith("__globals__")


def test_all_denials_of_a_script_are_told_at_once() -> None:
    with pytest.raises(ScriptDeniedError) as caught:
        compile_script("a.__globals__\nb = 1\nc.__mro__")
    assert caught.value.line == 1
    assert "line 3: attribute '__mro__'" in str(caught.value.hint)


def test_a_syntax_error_has_its_line_column_and_caret() -> None:
    with pytest.raises(ScriptSyntaxError) as caught:
        compile_script("x = 1\ny = = 2\n")
    assert (caught.value.line, caught.value.column) == (2, 5)
    assert caught.value.snippet == "y = = 2\n    ^"


@pytest.mark.parametrize(
    "source", ["return 1", "x = 1\0", "def f():\n    nonlocal y", "a" * 10 + " b", "\ud800 = 1"]
)
def test_what_is_no_python_is_a_syntax_error(source: str) -> None:
    with pytest.raises(ScriptSyntaxError):
        compile_script(source)


def test_a_script_may_define_what_it_could_not_call(sandbox: Sandbox) -> None:
    source = "def eval(x):\n    return x * 2\nclass A:\n    def exec(self): return 1\nresult = eval(2) + A().exec()"
    assert sandbox.result(source) == 5


def test_errors_point_at_the_scripts_own_line_column_and_calls(sandbox: Sandbox) -> None:
    error = sandbox.error("def inner(v):\n    return 1 + v['_k']\n\n\ndef main():\n    return inner({})\n")
    assert error.message == "KeyError: '_k'"
    assert (error.line, error.column) == (2, 17)
    assert error.snippet == "    return 1 + v['_k']\n                ^"
    assert "main (line 6) → inner (line 2)" in error.hint
    assert "sandbox" not in f"{error.message}{error.hint}{error.snippet}"


@pytest.mark.parametrize(
    ("statement", "column"),
    [
        ("y[x[1]]", 2),
        ("y[x[7]]", 4),
        ("y[x['a']]", 4),
        ("y[x[2]]", 2),
        ("y[0] + y[ x[1] ]", 9),
        ("y[x[1]] = 3", 2),
        ("y[x[1]] += 3", 2),
        ("del y[x[1]]", 6),
        ("[y][0][7]", 7),
        ("'é', y[(5)]", 7),
    ],
)
def test_a_wrong_index_is_pointed_at_by_its_own_bracket(
    sandbox: Sandbox, statement: str, column: int
) -> None:
    error = sandbox.error(f"x = [0, 5, 'b']\ny = [1, 2]\n{statement}")
    assert (error.line, error.column) == (3, column)


@pytest.mark.parametrize(
    ("source", "place", "hint"),
    [
        ("def main():\n    return {1}", (2, 12), "Make a list of it: list(…)."),
        ("def main():\n    yield 1", (1, 1), "Make a list of it: list(…)."),
        ("x = len\nresult = [x]", (2, 10), "Call it."),
        ("def main():\n    return 1\nresult = main", (3, 10), "Call it."),
        ("class A: pass\nresult = {'a': A()}", (2, 10), "Use None, bool,"),
    ],
)
def test_a_result_that_cannot_leave_is_shown_where_it_is_made(
    sandbox: Sandbox, source: str, place: tuple[int, int], hint: str
) -> None:
    error = sandbox.error(source)
    assert (error.code, error.line, error.column) == ("value_unsupported", *place)
    assert error.snippet == caret(source, *place)
    assert hint in error.hint


def test_private_names_are_shown_as_written(sandbox: Sandbox) -> None:
    source = "class A:\n    def _run(self):\n        return self._x\nA()._run()"
    error = sandbox.error(source)
    assert error.message == "AttributeError: 'A' object has no attribute '_x'"
    assert "_run (line 3)" in error.hint
    assert MARK not in repr(error)


def test_an_error_inside_the_library_points_at_the_call(sandbox: Sandbox) -> None:
    error = sandbox.error("import json\n\ndata = json.loads('{')\n")
    assert error.line == 3
    assert error.message.startswith("JSONDecodeError")


def test_an_error_of_a_tensor_has_its_code_and_the_scripts_line(sandbox: Sandbox) -> None:
    error = sandbox.error("import torch\ndef f(x):\n    return x @ x\nf(torch.ones(2, 3))")
    assert (error.code, error.line, error.column) == ("shape_mismatch", 3, 12)
    assert error.message.startswith("matmul of shapes")
    assert "f (line 3)" in error.hint


@pytest.mark.parametrize(
    "source",
    [
        "raise ValueError('\\ud800')",
        "class E(Exception):\n    def __str__(self):\n        return '\\udfff'\nraise E()",
        "result = '\\ud800'",
        "result = {'\\ud800': 1}",
        "progress(0.5, note='\\ud800')",
        "'\\ud800'.encode()",
    ],
)
def test_text_that_is_no_unicode_is_an_error_of_the_script(sandbox: Sandbox, source: str) -> None:
    assert sandbox.error(source).code in ("script_error", "value_unsupported")


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ("import socket", "Call fetch(url), or import requests or httpx"),
        ("import urllib.request", "Call fetch(url)"),
        ("from concurrent.futures import ThreadPoolExecutor", "A script is one thread"),
        ("import maths", "Did you mean math or cmath?"),
        ("import geometry", "store one as 'geometry' to import it."),
        ("import Qqqq.b", "GET /api/stubs shows all modules that scripts have."),
        ("import os\nos.system('ls')", "A script starts no programs"),
        ("import torch\ntorch.sofmax", "Did you mean softmax"),
        ("import torch\ntorch.ones(2).cuda()", "leave devices out"),
        ("import numpy as np\nnp.load('x.npy')", "tensors and bytes can be returned as they are"),
        ("def main(x, by=2): return x", 'Give {"inputs": {"x": …}}, or on the command line x=….'),
        ("import torch.nn.functional as F\nF.rellu", "Did you mean relu"),
        ("import torch\ntorch.zeros(2).sumn()", "Did you mean sum"),
        ("import torch\ntorch.sum([1.0])", "Make a tensor of it: torch.tensor(data)."),
        ("import torch\ntorch.stack([[1.0]])", "Make a tensor of it"),
        ("[1.0, 2.0].mean(dim=0)", "Make a tensor of it"),
        ("import torch\ntorch.ones(2) @ [1.0, 2.0]", "Make a tensor of it"),
        ("import torch\ntorch.zeros(2, requires_grad=True)", "Gradients are not recorded"),
        ("import torch\ntorch.zeros(2).requires_grad_()", "Gradients are not recorded"),
        ("import torch\ntorch.ones_like(torch.zeros(2), device='cuda')", "leave devices out"),
        ("progress(1, 10, 0.5)", "As progress(0.5, loss=1.2)"),
        (
            "fetch('https://example.org', method='POST', body=b'')",
            "It takes method, headers, params, json, data,",
        ),
        ("import kernels\nkernels.dispatch", "It has output, run."),
        ("from torch import sofmax", "Did you mean softmax"),
        ("class A:\n    def __init__(self): self.weight = 1\nA().weigth", "Did you mean weight?"),
        ("def main(): return lenn([1])", "Did you mean len?"),
        ("x = np.ones(2)", "Write import numpy as np at the beginning."),
        ("x = json.dumps(1)", "Write import json at the beginning."),
        ("file.py", "Send the text of the file: Path('file.py').read_text()."),
        ("../my-file.py\n", "Send the text of the file: Path('../my-file.py').read_text()."),
    ],
)
def test_what_scripts_have_not_is_answered_with_what_they_have(
    sandbox: Sandbox, source: str, hint: str
) -> None:
    assert hint in sandbox.error(source).hint


def test_an_unknown_module_is_denied_at_its_line(sandbox: Sandbox) -> None:
    error = sandbox.error("import os\nimport socket")
    assert (error.code, error.line) == ("script_denied", 2)


@pytest.mark.parametrize(
    "source",
    [
        "class A:\n    def __getattr__(self, name): raise KeyError(name)\ntry:\n    A().x\nfinally:\n    int.foo",
        "class A:\n    @property\n    def f(self): raise SystemExit\n    def __dir__(self): raise SystemExit\nA().g",
        "raise NameError",
        "raise AttributeError('x', name='y', obj=1)",
        "raise ImportError(name=3)",
        "raise NameError(name='x' * 10**6)",
    ],
)
def test_an_error_that_the_script_makes_itself_needs_no_advice(sandbox: Sandbox, source: str) -> None:
    assert sandbox.error(source).code == "script_error"


@pytest.mark.parametrize("line", ["d = nothing + 1", "d = (1"])
def test_the_line_that_is_shown_is_the_one_that_python_counts(sandbox: Sandbox, line: str) -> None:
    error = sandbox.error(f"a = 1\n\f\nb = 'x\x1dy'\nc = '\u2028'\n{line}\n")
    assert (error.line, error.snippet) == (5, f"{line}\n    ^")


def test_an_import_error_can_be_caught(sandbox: Sandbox) -> None:
    assert sandbox.result("try:\n    import pandas\nexcept ImportError:\n    result = 'none'") == "none"


def test_what_needs_a_grant_is_denied_as_such(sandbox: Sandbox) -> None:
    for source in ("open('/etc/passwd')", "import os\nos.listdir('/etc')", "input()"):
        assert sandbox.error(source).code == "permission_denied"
    assert sandbox.result("try:\n    open('x')\nexcept PermissionError:\n    result = 1") == 1


def test_attributes_of_the_library_can_not_be_set(sandbox: Sandbox) -> None:
    for target in ("json.dumps", "json.JSONEncoder.x", "int.x", "len.x", "type.x"):
        error = sandbox.error(f"import json\n{target} = 1")
        assert "cannot be set by scripts" in error.message or "read-only" in error.message


def test_a_class_that_says_it_is_of_another_module_is_refused(sandbox: Sandbox) -> None:
    error = sandbox.error("A = type('A', (), {'__module__': 'os'})")
    assert "cannot be defined" in error.message


def test_main_keeps_its_docstring_and_defaults(sandbox: Sandbox) -> None:
    source = 'def main(x=1):\n    """Docs."""\n    return [main.__doc__, x, main.__name__]'
    assert sandbox.result(source) == ["Docs.", 1, "main"]


@pytest.mark.parametrize(
    "source",
    [
        "class M(type): pass",
        "import typing\nclass M(typing.Type): pass",
        "class M(typing.Type[int]): pass",
        "class M(type(type)): pass",
        "class M(metaclass=int): pass",
        "class G(ExceptionGroup): pass",
        "import math\nclass M(type(math)): pass",
        "class P(property): pass",
    ],
)
def test_a_class_can_not_derive_from_what_is_sealed(sandbox: Sandbox, source: str) -> None:
    error = sandbox.error(f"import typing\n{source}")
    assert error.message.startswith("TypeError")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="PEP 695 is Python 3.12's")
def test_type_parameters_and_aliases_run(sandbox: Sandbox) -> None:
    source = (
        "type Pair[_T] = tuple[_T, _T]\n"
        "type Tree = dict[str, Tree] | None\n"
        "class Box[T: (int, str)]:\n    def __init__(self, v: T): self._v = v\n    def get(self) -> T: return self._v\n"
        "def first[_X, *Ts](x: _X, *rest: *Ts) -> _X: return x\n"
        "result = [Box[int](3).get(), first(1, 2), Pair.__name__, f'{'a' + f'{1}'}']\n"
    )
    assert sandbox.result(source) == [3, 1, "Pair", "a1"]


def test_a_denied_attribute_says_what_to_do_instead() -> None:
    with pytest.raises(ScriptDeniedError) as caught:
        compile_script("class A: pass\nprint(A.__mro__)")
    assert caught.value.hint == "Call mro() of the class."


def test_a_name_that_a_module_has_not_says_so_as_cpython_does(sandbox: Sandbox) -> None:
    error = sandbox.error("from types import SimpleNamespace, CodeType")
    assert error.message == "ImportError: cannot import name 'CodeType' from 'types'"


@pytest.mark.parametrize("value", ["5", "None", "'text'", "[]", "{}", "(1,)"])
def test_objects_without_attributes_refuse_them_in_the_words_of_cpython(sandbox: Sandbox, value: str) -> None:
    with pytest.raises(AttributeError) as plain:
        eval(value).x = 1
    source = f"try:\n    ({value}).x = 1\nexcept AttributeError as error:\n    result = str(error)"
    assert sandbox.result(source) == str(plain.value)


def test_a_descriptor_is_told_its_name_as_written(sandbox: Sandbox) -> None:
    source = """
got = []
class Field:
    def __set_name__(self, owner, name):
        got.append((owner.__name__, name, len(name)))
class A:
    plain = Field()
    _private = Field()
    __own = Field()
result = got
"""
    assert sandbox.result(source) == [["A", "plain", 5], ["A", "_private", 8], ["A", "_A__own", 7]]


def test_a_memo_of_deepcopy_holds_what_the_script_put_there(sandbox: Sandbox) -> None:
    source = """
import copy
class Node:
    def __init__(self, *children):
        self.children = list(children)
    def __deepcopy__(self, memo):
        if id(self) in memo:
            return memo[id(self)]
        made = memo[id(self)] = Node()
        made.children = copy.deepcopy(self.children, memo)
        return made
shared = Node()
root = Node(shared, shared, [1, 2])
root.children.append(root)
other = copy.deepcopy(root)
result = [other is not root, other.children[0] is other.children[1], other.children[3] is other,
          other.children[0] is not shared, other.children[2]]
"""
    assert sandbox.result(source) == [True, True, True, True, [1, 2]]


@pytest.mark.parametrize(
    "source",
    [
        "import datetime\ndatetime.datetime(b'\\0\\0\\1' + bytes(7)).ctime()",
        "import collections\nd = collections.OrderedDict.fromkeys([1, 2, 3])\nclass E:\n"
        "    def __hash__(self): return 1\n    def __eq__(self, o): d.clear(); return True\nd.pop(E())",
    ],
    ids=["a weekday before the first", "a dict that is emptied while it looks"],
)
def test_a_crash_of_the_interpreter_is_the_runs_own(sandbox: Sandbox, source: str) -> None:
    outcome = sandbox.run(source)
    assert outcome.error is None or outcome.error.code == "worker_crashed"
    assert sandbox.result("result = 1") == 1


def test_a_traceback_is_printed_as_cpython_prints_it(sandbox: Sandbox) -> None:
    source = """
import traceback
def inner(values):
    return values["a"] + values["b"]
try:
    try:
        inner({"a": 1})
    except KeyError as error:
        raise RuntimeError("outer") from error
except RuntimeError:
    traceback.print_exc()
    result = traceback.format_exc()
"""
    space: dict[str, object] = {}
    linecache.cache["<script>"] = (len(source), None, source.splitlines(keepends=True), "<script>")
    exec(compile(source, "<script>", "exec"), space)
    assert sandbox.result(source) == space["result"]
    assert sandbox.services.printed("stderr") == space["result"]
