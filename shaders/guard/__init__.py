"""The guard: a stranger's kernel made to end, to be cut into slices, and to see nobody's workgroup memory.

Owns the rewriting of a parsed kernel (`guard.py`) and the numbers that go with it. Text only: it must not know
devices, and runs in the sealed worker that parsed the kernel.
"""
