"""Functions of `torch` that are written by hand, a module a family; `ops/torch/methods.py` collects them."""
