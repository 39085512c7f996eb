"""Draws the Mandelbrot set, sent to Kernelgate as a script: one long graph, one pass on the device."""

import torch

SHADES = " .:-=+*#%@"


def main(width=64, height=32, turns=40):
    """Print the picture; the share of its points that stay for all `turns`."""
    real = torch.arange(width).float().reshape(1, width) * (3.0 / width) - 2.0
    imaginary = torch.arange(height).float().reshape(height, 1) * (2.4 / height) - 1.2
    x = torch.zeros(height, width)
    y = torch.zeros(height, width)
    stayed = torch.zeros(height, width)
    for _ in range(turns):
        inside = x * x + y * y <= 4.0
        stayed = stayed + inside.float()
        x, y = (
            torch.where(inside, x * x - y * y + real, x),
            torch.where(inside, 2.0 * x * y + imaginary, y),
        )
    for row in stayed.tolist():
        print("".join(SHADES[int(value * (len(SHADES) - 1) / turns)] for value in row))
    return (stayed == turns).float().mean().item()
