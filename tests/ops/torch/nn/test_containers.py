"""Modules that hold others: what is in them is found, in order, as PyTorch finds it."""

from __future__ import annotations

from typing import Any

import pytest

from ops.errors import AttributeValueError


def names(module: Any) -> list[str]:
    return [name for name, _ in module.named_parameters()]


def test_a_list_of_modules_is_a_list_whose_parameters_are_found(torch: Any) -> None:
    nn = torch.nn
    layers = nn.ModuleList([nn.Linear(2, 2, bias=False)]).append(nn.ReLU())
    layers.extend([nn.Linear(2, 3)])
    layers.insert(1, nn.Identity())
    assert [type(layer).__name__ for layer in layers] == ["Linear", "Identity", "ReLU", "Linear"]
    assert names(layers) == ["0.weight", "3.weight", "3.bias"]
    assert layers[-1] is layers[3]
    assert [type(layer).__name__ for layer in layers[1:3]] == ["Identity", "ReLU"]
    layers[-1] = nn.Tanh()
    assert (len(layers), type(layers[3]).__name__) == (4, "Tanh")
    assert not layers.eval()[0].training
    with pytest.raises(IndexError):
        layers[4]


def test_modules_are_held_by_name(torch: Any) -> None:
    nn = torch.nn
    layers = nn.ModuleDict({"first": nn.Linear(1, 1), "then": nn.Sigmoid()})
    layers["last"] = nn.Linear(1, 1, bias=False)
    assert list(layers) == layers.keys() == ["first", "then", "last"]
    assert names(layers) == ["first.weight", "first.bias", "last.weight"]
    assert "then" in layers
    assert layers.pop("first") is not None
    assert (len(layers), [name for name, _ in layers.items()]) == (2, ["then", "last"])
    assert layers.values()[1] is layers["last"]
    with pytest.raises(KeyError):
        layers["first"]
    with pytest.raises(AttributeValueError, match="'keys' of its own"):
        layers["keys"] = nn.Sigmoid()


def test_tensors_are_held_by_number_and_by_name(torch: Any) -> None:
    nn = torch.nn

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.some = nn.ParameterList([torch.ones(2), torch.zeros(3)])
            self.more = nn.ParameterDict({"scale": torch.ones(1)})

    model = Model()
    assert names(model) == ["some.0", "some.1", "more.scale"]
    assert [len(each) for each in model.some] == [2, 3]
    assert set(model.state_dict()) == set(names(model))


def test_shapes_are_changed_between_layers(torch: Any) -> None:
    nn, x = torch.nn, torch.arange(24).reshape(2, 3, 4)
    assert nn.Flatten()(x).shape == (2, 12)
    assert nn.Flatten(0, 1)(x).shape == (6, 4)
    back = nn.Sequential(nn.Flatten(), nn.Unflatten(1, (3, 4)))(x)
    assert back.tolist() == x.tolist()
    assert nn.Unflatten(-1, [2, -1])(x).shape == (2, 3, 2, 2)


def test_a_model_of_layers_computes_forward(torch: Any) -> None:
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Linear(4, 8)
            self.rest = nn.Sequential(nn.ReLU(), nn.Linear(8, 3, bias=False), nn.Softmax(dim=-1))

        def forward(self, x: Any) -> Any:
            return self.rest(self.first(x))

    model = Net().eval()
    with torch.no_grad():
        assert model(torch.ones(5, 4)).sum(dim=1).tolist() == pytest.approx([1] * 5)
    assert [name for name, _ in model.named_parameters()] == ["first.weight", "first.bias", "rest.1.weight"]
    assert sum(parameter.numel() for parameter in model.parameters()) == 64
    weight, bias = torch.ones(2, 3), torch.tensor([1.0, 2.0])
    assert nn.functional.linear(torch.ones(3), weight, bias).tolist() == [4, 5]
    assert nn.functional.gelu(torch.zeros(1)).tolist() == [0]
