"""Every operation has an example that can be asked for."""

from __future__ import annotations

import json

import pytest

from api.console.op_examples import example
from api.routes.ops import OpRequest, asked_of
from api.settings import Settings
from ops.composites import expand
from ops.graph import Graph, Node, TensorType
from ops.table import TABLE
from ops.validate import validate


@pytest.mark.parametrize("name", TABLE)
def test_an_example_is_a_request_that_fits_its_operation(name: str) -> None:
    body = json.loads(json.dumps(example(TABLE[name])))
    asked = asked_of(OpRequest(**body), Settings())
    types = [TensorType(tuple(each.shape), each.dtype) for each in asked.given]
    nodes, result = expand(name, asked.bounded(TABLE[name]), types)
    leaves = [
        Node("input", (), {"handle": 1, "shape": list(type.shape), "dtype": type.dtype}) for type in types
    ]
    assert validate(Graph([*leaves, *nodes], [result]))
