"""The meaning of tensor programs: the op table, expressions, shapes, the lazy graph and `Tensor`.

Must not know GPUs, sockets or files. Imports `shaders` only. All but `ops/reference/` is plain Python: a
script's worker loads it, and must load neither NumPy nor jinja2.
"""
