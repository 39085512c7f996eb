"""Tensors: their values and formats on the way in and out, their rows, and where their bytes are.

Must not know runs, or what computes them.
"""
