"""The reference: what each op means, in NumPy; nothing here was written by looking at a kernel.

Owns the values that kernels are compared with, and those of the engine `numpy`. The one package of this folder that
imports NumPy; must not know devices.
"""

from ops.reference.elements import DTYPES, dtype_name, from_wire, narrow, to_wire
from ops.reference.evaluation import apply, evaluate
from ops.reference.terms import run

__all__ = ["DTYPES", "apply", "dtype_name", "evaluate", "from_wire", "narrow", "run", "to_wire"]
