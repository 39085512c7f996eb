"""An errand says which tensors it makes, and which it cannot do without, so that it can be asked of another process."""

from __future__ import annotations

from host import errands
from host.frames import Bound, DispatchKernel, Fresh, Step, Uniform, Upload
from ops.graph import Graph, Node


def test_a_dispatch_needs_what_it_reads_and_begins_with_but_not_what_it_makes() -> None:
    fresh = [Fresh(10, "f32", (4,), initial=3), Fresh(11, "f32", (4,), temporary=True)]
    first = Step("main", (1, 1, 1), [Bound("a", 1), Bound("b", 10), Uniform("n", bytes(4))])
    second = Step("main", (1, 1, 1), [Bound("a", 11), Bound("b", 2)])
    request = DispatchKernel(0, 7, "me", "k", [first, second], fresh)
    errand = errands.dispatch(request, 5.0, None)
    assert errand.needs == {1, 2, 3}
    assert errand.makes == [10, 11]
    assert errand.kernel == "k"
    made = errand.make(42)
    assert isinstance(made, DispatchKernel)
    assert (made.id, made.job, made.steps, made.fresh) == (42, 7, [first, second], fresh)


def test_a_graph_without_inputs_needs_nothing_and_any_process_can_do_it() -> None:
    full = Node("full", (), {"shape": [2], "value": 1, "dtype": "f32"})
    given = Node("input", (), {"handle": 5, "shape": [2], "dtype": "f32"})
    assert not errands.run_graph(1, "me", Graph([full], [0]), [9], 1.0, 1.0, None).needs
    errand = errands.run_graph(1, "me", Graph([full, given], [1]), [9], 1.0, 1.0, None)
    assert errand.needs
    assert errand.makes == [9]


def test_an_upload_from_a_file_sends_its_descriptor_and_no_data() -> None:
    errand = errands.upload_file(4, "me", "u32", [3], (77, 16, 12), 1.0)
    frame = errand.make(1)
    assert isinstance(frame, Upload)
    assert (frame.descriptor, frame.offset, frame.nbytes, frame.data) == (True, 16, 12, b"")
    assert errand.fd == 77
    assert not errand.needs
