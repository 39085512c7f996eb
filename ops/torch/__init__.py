"""PyTorch as a script sees it: lazy tensors, and functions and layers that make them. A worker loads all of it.

Must not know kernels, NumPy or devices: `engine.py` says who computes.
"""
