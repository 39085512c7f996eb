"""Untrusted text: the language policy, the worker processes, their walls and their gates.

Must not know `wgpu`, NumPy or our HTTP API. Imports `ops` and `shaders`.
"""
