"""Scripts import the façade in every way, return what it makes, and get nothing of the real package."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.sandbox.support import Sandbox


def test_it_is_imported_in_every_way(sandbox: Sandbox) -> None:
    source = (
        "import numpy\nimport numpy as np\nimport numpy.linalg\nimport numpy.random as npr\n"
        "from numpy import array, linalg, pi\nfrom numpy.linalg import norm\nfrom numpy.random import default_rng\n"
        "from numpy.typing import NDArray\nfrom numpy.exceptions import AxisError\nfrom numpy import *\n"
        "from numpy.lib.stride_tricks import sliding_window_view\n"
        "result = [numpy is np, np.linalg is linalg, np.random is npr, np.linalg.norm is norm, array is np.array,\n"
        "          np.random.default_rng is default_rng, NDArray[np.float64] is np.ndarray, linspace is np.linspace,\n"
        "          issubclass(AxisError, IndexError), np.lib.stride_tricks.sliding_window_view is sliding_window_view]"
    )
    assert sandbox.result(source) == [True] * 10


def test_arrays_and_scalars_can_be_the_result(sandbox: Sandbox) -> None:
    source = (
        "import numpy as np\n"
        "result = {'a': np.eye(2), 'f': np.float64(0.5), 'i': np.int64(3), 'b': np.array([1]).any(),\n"
        "          'n': np.float32(0.5), np.int64(7): [np.arange(2), (np.array(1.5),)]}"
    )
    assert sandbox.result(source) == {
        "a": [[1.0, 0.0], [0.0, 1.0]],
        "f": 0.5,
        "i": 3,
        "b": True,
        "n": 0.5,
        "7": [[0, 1], [1.5]],
    }


def test_floats_of_16_bits_stay_so_on_the_way_there_and_back(sandbox: Sandbox) -> None:
    source = (
        "import numpy as np, torch\n"
        "t = torch.from_numpy(np.array([0.1, 2], dtype=np.float16))\na = (t * 2).numpy()\n"
        "result = [str(t.dtype), t.tolist(), str(a.dtype), a.tolist(), np.float16(0.5),\n"
        "          str(torch.from_numpy(np.array([4294967295], np.uint32)).dtype)]"
    )
    half = 0.0999755859375
    assert sandbox.result(source) == [
        "torch.float16",
        [half, 2],
        "float16",
        [2 * half, 4],
        0.5,
        "torch.uint32",
    ]


def test_arrays_become_tensors_and_tensors_arrays(sandbox: Sandbox) -> None:
    source = (
        "import numpy as np, torch\n"
        "t = torch.tensor(np.arange(6.0).reshape(2, 3))\nu = torch.from_numpy(np.array([1, 2]))\n"
        "a = (t * 2).numpy()\nb = np.asarray(t)\n"
        "result = [list(t.shape), str(t.dtype), str(u.dtype), a.tolist(), str(a.dtype), b.sum(),\n"
        "          torch.tensor([np.float64(1.5), np.int64(2)]).tolist(), torch.tensor(np.float64(2.5)).item()]"
    )
    assert sandbox.result(source) == [
        [2, 3],
        "torch.float32",
        "torch.int32",
        [[0.0, 2.0, 4.0], [6.0, 8.0, 10.0]],
        "float32",
        15.0,
        [1.5, 2.0],
        2.5,
    ]


def test_the_shape_of_an_array_can_be_set_and_nothing_else(sandbox: Sandbox) -> None:
    assert sandbox.result("import numpy as np\na = np.arange(4)\na.shape = 2, 2\nresult = a.tolist()") == [
        [0, 1],
        [2, 3],
    ]
    for change in ("a.dtype = int", "a.other = 1", "np.pi = 3", "np.float64(1).real = 2", "a.T = a"):
        assert sandbox.error(f"import numpy as np\na = np.arange(4)\n{change}").code in (
            "script_error",
            "script_denied",
        )


def test_two_runs_do_not_share_a_stream_of_random_numbers(sandbox: Sandbox) -> None:
    source = "import numpy as np\nresult = [np.random.rand(), np.random.default_rng().random()]"
    first, second = sandbox.result(source), sandbox.result(source)
    assert not set(first) & set(second)


def test_an_array_that_is_too_large_is_refused_at_once(sandbox: Sandbox) -> None:
    source = "import numpy as np\ntry:\n    np.zeros((10**5, 10**5))\nexcept MemoryError as e:\n    result = str(e)"
    assert "at most 50000000 elements" in sandbox.result(source)


@pytest.mark.parametrize("what", ["dtype=object", "dtype=complex", "dtype=str"])
def test_what_it_has_not_is_said_clearly(sandbox: Sandbox, what: str) -> None:
    error = sandbox.error(f"import numpy as np\nnp.array([1], {what})")
    assert "numpy has bools, integers and floats here" in error.message
    assert error.line == 2


def test_a_class_of_it_is_no_base(sandbox: Sandbox) -> None:
    assert (
        "not an acceptable base"
        in sandbox.error("import numpy as np\nclass A(np.ndarray):\n    pass").message
    )


def test_a_buffer_is_never_handed_out(sandbox: Sandbox) -> None:
    source = (
        "import numpy as np\na = np.arange(3.0)\nfound = []\n"
        "for f in (memoryview, bytearray, lambda x: x.data, lambda x: x.base):\n"
        "    try:\n        found.append(type(f(a)).__name__)\n"
        "    except (TypeError, AttributeError, ValueError):\n        pass\n"
        "result = [found, *([n for n in dir(x) if n.startswith('_')] for x in (a, np))]"
    )
    assert sandbox.result(source) == [[], [], []]


def test_the_real_package_is_not_loaded() -> None:
    program = (
        "import sys; from sandbox import library; library.install(); from sandbox.policy import views;"
        "views.view('numpy'); print([n for n in sys.modules if n.split('.')[0] == 'numpy'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"
