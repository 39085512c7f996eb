"""To store and call: `kernelgate script add examples/summary.py`, `kernelgate script call summary x=@x.npy`."""

from typing import TypedDict

import torch


class Summary(TypedDict):
    mean: float
    std: float


def main(x: torch.Tensor, by: float = 1.0) -> Summary:
    """Mean and standard deviation of the elements.

    Args:
        x: any tensor of floats
        by: what the elements are multiplied by first
    """
    scaled = x * by
    return {"mean": scaled.mean().item(), "std": scaled.std().item()}
