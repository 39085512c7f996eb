"""What scripts get from us: torch, kernels, hashing and progress, over the link."""

from __future__ import annotations

import hashlib

import pytest

from ops.graph import TensorRef
from sandbox.errors import PermissionDeniedError
from sandbox.frames import DispatchKernel
from sandbox.values import unpack
from shaders.errors import ErrorRecord, KernelgateError
from tests.sandbox.support import LIMITS, Sandbox, Services


def test_a_script_computes_with_torch(sandbox: Sandbox) -> None:
    source = (
        "import torch\nx = torch.tensor([1.0, 2.0, 3.0])\nresult = [(x * 2 + 1).tolist(), float(x.sum())]"
    )
    assert sandbox.result(source) == [[3.0, 5.0, 7.0], 6.0]


def test_submodules_of_torch_can_be_imported_in_every_way(sandbox: Sandbox) -> None:
    source = (
        "import torch.nn.functional as F\nfrom torch import nn\nimport torch\n"
        "result = [F is nn.functional, torch.nn is nn, torch.nn.functional is F]"
    )
    assert sandbox.result(source) == [True, True, True]


def test_all_tensors_of_a_result_are_computed_in_one_graph(sandbox: Sandbox) -> None:
    source = "import torch\nx = torch.ones(4)\nresult = {'a': x + 1, 'b': [x * 3, x + 1]}"
    result = sandbox.result(source)
    assert isinstance(result["a"], TensorRef)
    assert len(sandbox.services.graphs) == 1
    assert sandbox.services.arrays[result["b"][0].handle].tolist() == [3.0] * 4


def test_tensors_enter_as_inputs(sandbox: Sandbox) -> None:
    services = Services()
    import numpy as np

    reference = services.keep(np.array([[1, 2], [3, 4]], np.float32))
    source = "def main(x):\n    return [list(x.shape), x.T.tolist()]"
    outcome = sandbox.runner.run(sandbox.pool.run_script(source, {"x": reference}, LIMITS, services))
    assert outcome.result == [[2, 2], [[1.0, 3.0], [2.0, 4.0]]]


def test_dropped_tensors_are_freed(sandbox: Sandbox) -> None:
    source = "import torch\nfor _ in range(5):\n    torch.ones(3).sum().item()\ntorch.ones(2).sum().item()"
    sandbox.result(source)
    assert len(sandbox.services.freed) >= 4


def test_a_kernel_is_dispatched_with_tensors_outputs_and_uniforms(sandbox: Sandbox) -> None:
    source = (
        "import kernels, torch\n"
        "out = kernels.run('double', workgroups=(2, 1), x=torch.ones(4), params={'n': 4, 'k': [1, 2]},\n"
        "                  y=kernels.output((2, 2), torch.int32), template_params={'tile': 8, 'type': 'u32'})\n"
        "result = [list(out.shape), out.tolist()]"
    )
    assert sandbox.result(source) == [[2, 2], [[0, 0], [0, 0]]]
    (request,) = sandbox.services.dispatches
    assert request.kernel == "double"
    asked = unpack(request.request)
    assert asked.keys() == {"inputs", "workgroups", "params"}
    assert asked["params"] == {"tile": 8, "type": "u32"}
    assert asked["workgroups"] == [2, 1]
    assert asked["inputs"]["y"] == {"shape": [2, 2], "dtype": "i32", "temporary": False}
    assert asked["inputs"]["x"].shape == (4,)
    assert asked["inputs"]["params"] == {"n": 4, "k": [1, 2]}


def test_a_kernel_s_steps_overrides_size_and_fuel_go_as_they_are(sandbox: Sandbox) -> None:
    sandbox.result(
        "import kernels\n"
        "kernels.run('k', inputs={'over': kernels.output(2, temporary=True)}, texts=[b'a', 'b'], fuel=500,\n"
        "            outputs=('a',), a=kernels.output(2),\n"
        "            steps=[{'threads': (3, 4), 'bind': {'x': 'a'}}, {'over': 'x', 'overrides': {'s': 2.5}}])\n"
        "result = 1"
    )
    (request,) = sandbox.services.dispatches
    asked = unpack(request.request)
    assert asked["inputs"]["over"] == {"shape": [2], "dtype": "f32", "temporary": True}
    assert asked["inputs"]["texts"] == [b"a", "b"]
    assert (asked["fuel"], asked["outputs"]) == (500, ["a"])
    assert asked["steps"] == [
        {"threads": [3, 4], "bind": {"x": "a"}},
        {"over": "x", "overrides": {"s": 2.5}},
    ]


def test_a_binding_may_be_called_like_a_word_of_the_function(sandbox: Sandbox) -> None:
    sandbox.result(
        "import kernels, torch\n"
        "kernels.run('k', steps=kernels.output(2), over=torch.ones(2), threads=3, inputs={'fuel': 3})\nresult = 1"
    )
    (request,) = sandbox.services.dispatches
    asked = unpack(request.request)
    assert asked.keys() == {"inputs", "threads"}
    assert asked["threads"] == [3]
    assert asked["inputs"].keys() == {"steps", "over", "fuel"}


def test_what_is_no_dispatch_is_refused_in_the_script(sandbox: Sandbox) -> None:
    error = sandbox.error("import kernels\nkernels.run('k', inputs=3)")
    assert "inputs is a dict of bindings" in error.message
    assert "a step is a dict, not int" in sandbox.error("import kernels\nkernels.run('k', steps=[1])").message


def test_several_written_bindings_come_back_by_name(sandbox: Sandbox) -> None:
    source = (
        "import kernels\n"
        "out = kernels.run('k', a=kernels.output(2), b=kernels.output(3, 'u32'))\n"
        "result = {name: [len(t), str(t.dtype)] for name, t in out.items()}"
    )
    assert sandbox.result(source) == {"a": [2, "torch.float32"], "b": [3, "torch.uint32"]}


def test_a_refused_request_can_be_caught_and_keeps_its_code(sandbox: Sandbox) -> None:
    class Refusing(Services):
        async def dispatch(self, request: DispatchKernel) -> dict[str, TensorRef]:
            if request.kernel == "secret":
                raise PermissionDeniedError("kernels: 'secret' is not granted", hint="grant it")
            raise KernelgateError.from_record(
                ErrorRecord("unknown_kernel", "there is no such kernel", "add it")
            )

    def run(source: str) -> object:
        outcome = sandbox.runner.run(sandbox.pool.run_script(source, {}, LIMITS, Refusing()))
        return outcome.error or outcome.result

    assert run(
        "import kernels\ntry:\n    kernels.run('k')\nexcept RuntimeError as e:\n    result = e.code"
    ) == ("unknown_kernel")
    error = run("import kernels\n\nkernels.run('k')")
    assert isinstance(error, ErrorRecord)
    assert (error.code, error.line, error.hint) == ("unknown_kernel", 3, "add it")
    denied = run("import kernels\nkernels.run('secret')")
    assert isinstance(denied, ErrorRecord)
    assert (denied.code, denied.hint) == ("permission_denied", "grant it")
    source = (
        "import kernels\ntry:\n    kernels.run('secret')\nexcept PermissionDenied as e:\n    result = e.hint"
    )
    assert run(source) == "grant it"


def test_many_messages_are_hashed_at_once(sandbox: Sandbox) -> None:
    source = "import hashing\ndef main(texts):\n    return hashing.sha256(texts)"
    texts = [f"message {number}" for number in range(300)]
    assert sandbox.result(source, texts=texts) == [
        hashlib.sha256(text.encode()).hexdigest() for text in texts
    ]
    assert sandbox.services.graphs


def test_progress_is_told_in_order_with_what_was_printed(sandbox: Sandbox) -> None:
    source = "print('a')\nprint('b')\nprogress(0.5, loss=1.5, step=3, name='x', done=False)\nprogress()"
    sandbox.result(source)
    assert sandbox.services.printed() == "a\nb\n"
    assert sandbox.services.reports == [
        (0.5, {"loss": 1.5, "step": 3, "name": "x", "done": False}),
        (None, {}),
    ]


@pytest.mark.parametrize(
    "call", ["progress('x')", "progress(float('nan'))", "progress(0, a=[1])", "progress(0, a=2**70)"]
)
def test_progress_refuses_what_is_no_report(sandbox: Sandbox, call: str) -> None:
    assert sandbox.error(call).message.startswith(("ValueError", "TypeError"))


def test_a_scripts_own_module_can_extend_ours(sandbox: Sandbox) -> None:
    source = (
        "import torch\nfrom torch import nn\n"
        "class Net(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n        self._w = torch.ones(2, 2)\n"
        "    def forward(self, x):\n        return x @ self._w\n"
        "net = Net()\nnet.extra = 1\nlayer = nn.Linear(2, 2)\nlayer.weight = torch.ones(2, 2)\n"
        "result = [net(torch.ones(1, 2)).tolist(), layer(torch.zeros(1, 2)).shape[1]]"
    )
    assert sandbox.result(source) == [[[2.0, 2.0]], 2]
