"""Hostile graphs: each is refused with a clear error, quickly."""

from __future__ import annotations

import time
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ops import reference
from ops.dtypes import DTypeError
from ops.errors import AttributeValueError as BadAttribute
from ops.errors import GraphError, ShapeError, UnknownOpError
from ops.graph import Graph, Node, TensorType
from ops.table import TABLE
from ops.validate import GraphLimits, validate
from shaders.errors import KernelgateError


def leaf(shape: Any, dtype: Any = "f32", handle: Any = 1) -> Node:
    """An input node."""
    return Node("input", (), {"handle": handle, "shape": shape, "dtype": dtype})


def unary(op: str, **attributes: Any) -> Graph:
    """A graph of one op of one tensor."""
    return Graph([leaf([1]), Node(op, (0,), attributes)], [1])


def constant(shape: list[int], *data: bytes) -> Graph:
    """A graph of one constant, the first of `data`."""
    return Graph([Node("constant", (), {"index": 0, "shape": shape, "dtype": "f32"})], [0], list(data))


def test_a_legal_graph_has_a_type_for_each_node() -> None:
    graph = Graph(
        [
            leaf([4, 3]),
            Node("constant", (), {"index": 0, "shape": [3], "dtype": "bool"}),
            Node("tensor.where", (1, 0, 0)),
            Node("sum", (2,), {"axes": 0}),
            Node("cast", (3,), {"dtype": "int"}),
        ],
        [4, 2],
        [b"\1\0\1"],
    )
    assert validate(graph) == [
        TensorType((4, 3), "f32"),
        TensorType((3,), "bool"),
        TensorType((4, 3), "f32"),
        TensorType((3,), "f32"),
        TensorType((3,), "i32"),
    ]


HOSTILE: list[tuple[str, Graph, type[KernelgateError], str]] = [
    ("forward reference", Graph([Node("neg", (0,))], [0]), GraphError, "not before it"),
    ("far reference", Graph([leaf([1]), Node("neg", (7,))], [0]), GraphError, "not before it"),
    ("negative reference", Graph([leaf([1]), Node("neg", (-1,))], [0]), GraphError, "not before it"),
    ("output of no node", Graph([leaf([1])], [1]), GraphError, "output 1 is no node"),
    ("negative output", Graph([leaf([1])], [-1]), GraphError, "output -1 is no node"),
    ("unknown op", Graph([Node("x" * 10_000, ())], [0]), UnknownOpError, "no op"),
    ("name close to an op", Graph([Node("matmull", ())], [0]), UnknownOpError, "no op 'matmull'"),
    ("too few inputs", Graph([leaf([1]), Node("add", (0,))], [1]), GraphError, "takes 2 inputs, not 1"),
    ("too many inputs", Graph([leaf([1]), Node("neg", (0, 0))], [1]), GraphError, "takes 1 inputs, not 2"),
    ("no inputs to join", Graph([Node("concat", ())], [0]), GraphError, "at least 1 input"),
    ("unknown attribute", unary("neg", y=1), BadAttribute, "no attribute 'y'"),
    ("missing attribute", unary("cast"), BadAttribute, "needs the attribute 'dtype'"),
    ("text for a number", Graph([Node("full", (), {"shape": [1], "value": "1"})], [0]), BadAttribute, "a number"),
    ("float for an axis", unary("sum", axes=0.5), BadAttribute, "must be an axis"),
    ("bool for an axis", unary("argmax", axis=True), BadAttribute, "must be an axis"),
    ("lists in a list", unary("permute", axes=[[0]]), BadAttribute, "list of at most"),
    ("a long list", unary("permute", axes=[0] * 65), BadAttribute, "list of at most"),
    ("an unknown choice", unary("gelu", approximate="fast"), BadAttribute, "none, tanh"),
    ("an unknown dtype", unary("cast", dtype="f64"), DTypeError, "no dtype 'f64'"),
    ("a huge integer", Graph([Node("full", (), {"shape": [1], "value": 10**5000})], [0]), BadAttribute, "64 bits"),
    ("rank nine", Graph([leaf([1] * 9)], [0]), ShapeError, "limit of 8"),
    ("rank nine by reshape", unary("reshape", shape=[1] * 9), ShapeError, "limit"),
    ("a size of two to the 62", Graph([leaf([1 << 62, 0])], [0]), ShapeError, "at most"),
    ("sizes that overflow", Graph([leaf([1 << 16] * 4)], [0]), ShapeError, "at most"),
    ("a negative size", Graph([leaf([-1])], [0]), BadAttribute, "no list of sizes"),
    ("a size that is true", Graph([leaf([True])], [0]), BadAttribute, "no list of sizes"),
    ("a shape that is a number", Graph([leaf(3)], [0]), BadAttribute, "no list of sizes"),
    ("too many elements", Graph([leaf([1 << 29])], [0]), GraphError, "over the limit"),
    ("an input with inputs", unary("input", **leaf([1]).attributes), GraphError, "no inputs"),
    ("an input with more", Graph([Node("input", (), {"more": 1})], [0]), GraphError, "the attributes"),
    ("a handle that is text", Graph([leaf([1], handle="1")], [0]), BadAttribute, "no number"),
    ("a handle below zero", Graph([leaf([1], handle=-1)], [0]), BadAttribute, "no number"),
    ("an alias of a dtype", Graph([leaf([1], "float32")], [0]), BadAttribute, "not one of"),
    ("a dtype that is a number", Graph([leaf([1], 7)], [0]), BadAttribute, "not one of"),
    ("a constant that is absent", constant([1]), BadAttribute, "no constant"),
    ("a constant too short", constant([2], b"1234"), GraphError, "has 4 bytes"),
    ("no message table", Graph([leaf([0], "u32"), Node("sha256", (0, 0))], [1]), ShapeError, "takes data"),
    (
        "a negative length",
        Graph([leaf([1], "u32"), Node("sha256", (0, 0), {"max_bytes": -1})], [1]),
        BadAttribute,
        "max_bytes",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("graph", "error", "message"), [pytest.param(*case[1:], id=case[0]) for case in HOSTILE]
)
def test_a_hostile_graph_is_refused_with_its_reason(
    graph: Graph, error: type[KernelgateError], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        validate(graph)
    assert len(caught.value.message) < 500


def test_an_error_names_its_node() -> None:
    with pytest.raises(ShapeError, match=r"^node 2 \('add'\): shapes \[3\] and \[4\]"):
        validate(Graph([leaf([3]), leaf([4]), Node("add", (0, 1))], [2]))


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (GraphLimits(nodes=2), "3 nodes is over the limit of 2"),
        (GraphLimits(edges=3), "4 edges is over the limit of 3"),
        (GraphLimits(outputs=1), "2 outputs is over the limit of 1"),
        (GraphLimits(elements=99), "100 elements is over the limit of 99"),
        (GraphLimits(total_elements=250), "300 elements, over the limit of 250"),
        (GraphLimits(constant_bytes=1), "2 bytes of constants is over the limit of 1"),
    ],
)
def test_each_limit_holds(limits: GraphLimits, message: str) -> None:
    graph = Graph([leaf([100]), Node("add", (0, 0)), Node("mul", (1, 1))], [1, 2], [b"12"])
    with pytest.raises(GraphError, match=message):
        validate(graph, limits)
    validate(graph)


def test_a_view_costs_no_elements() -> None:
    nodes = [leaf([1]), *[Node("expand", (0,), {"shape": [1 << 20]}) for _ in range(50)]]
    validate(Graph(nodes, [1]), GraphLimits(total_elements=100))


def test_the_largest_graph_is_checked_in_linear_time() -> None:
    chain = [leaf([2, 3])] + [Node("add", (number, number)) for number in range(9_999)]
    start = time.process_time()
    validate(Graph(chain, [9_999]))
    assert time.process_time() - start < 5


OPS = st.sampled_from([*TABLE, "input", "constant", "nothing"])
WILD = st.one_of(
    st.none(), st.booleans(), st.integers(-(1 << 63), (1 << 64) - 1), st.floats(), st.text(max_size=5),
    st.lists(st.integers(-3, 9), max_size=9), st.sampled_from([*reference.DTYPES, "tanh"]),
)  # fmt: skip
NAMES = sorted(
    {attribute.name for row in TABLE.values() for attribute in row.attributes} | {"handle", "index", "oops"}
)


@st.composite
def wild_graphs(draw: st.DrawFn) -> Graph:
    """Graphs that are nearly right."""
    nodes = [
        leaf(draw(st.lists(st.integers(0, 3), max_size=3)), draw(st.sampled_from([*reference.DTYPES])))
        for _ in range(2)
    ]
    for _ in range(draw(st.integers(0, 6))):
        op = draw(OPS)
        wanted = len(TABLE[op].inputs) if op in TABLE else 1
        inputs = [
            draw(st.integers(-1, len(nodes))) for _ in range(draw(st.sampled_from([wanted] * 5 + [0, 1])))
        ]
        known = [attribute.name for attribute in TABLE[op].attributes] if op in TABLE else []
        names = [name for name in known if draw(st.booleans())] + draw(
            st.lists(st.sampled_from(NAMES), max_size=1)
        )
        nodes.append(Node(op, tuple(inputs), {name: draw(WILD) for name in names}))
    return Graph(nodes, draw(st.lists(st.integers(-1, len(nodes)), max_size=3)))


@settings(max_examples=400)
@given(wild_graphs())
def test_any_graph_is_typed_as_it_computes_or_refused(graph: Graph) -> None:
    decoder = msgspec.msgpack.Decoder(Graph)
    graph = decoder.decode(msgspec.msgpack.encode(graph))
    try:
        types = validate(graph, GraphLimits(elements=5_000))
    except KernelgateError:
        return
    inputs = {1: None}
    for node in graph.nodes[:2]:
        inputs[1] = np.zeros(node.attributes["shape"], reference.DTYPES[str(node.attributes["dtype"])])  # type: ignore[arg-type,assignment]
    if [node.attributes for node in graph.nodes if node.op == "input"].count(graph.nodes[0].attributes) < 2:
        return  # the two inputs share a handle, so only equal types can be computed
    values = reference.evaluate(graph, inputs)  # type: ignore[arg-type]
    for value, index in zip(values, graph.outputs, strict=True):
        assert value.shape == types[index].shape
        assert reference.dtype_name(value.dtype) == types[index].dtype
