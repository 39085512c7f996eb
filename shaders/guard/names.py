"""The names that the guard adds to a kernel.

Owns the names only; all begin with `RESERVED_PREFIX`, which no kernel may use.
"""

from __future__ import annotations

from shaders.limits import RESERVED_PREFIX

GROUP = 3
"""The bind group that is the host's: the parameters of a slice at binding 0, its report at binding 1."""
PARAMETERS_BYTES = 32
"""Of the uniform: the slice's first workgroup (x, y, z), the budget, then the grid (x, y, z) and nothing."""
REPORT_BYTES = 16
"""Of the storage buffer: the loop that drew the last of the budget, 0 for none; the rest is unused."""

HOST = f"{RESERVED_PREFIX}_host"
REPORT = f"{RESERVED_PREFIX}_report"
FUEL = f"{RESERVED_PREFIX}_fuel"
SHARED_FUEL = f"{RESERVED_PREFIX}_shared_fuel"
LOOP = f"{RESERVED_PREFIX}_loop"
COST = f"{RESERVED_PREFIX}_cost"
FIRST = f"{RESERVED_PREFIX}_first"
TURNS = f"{RESERVED_PREFIX}_turns"
ENTRY = f"{RESERVED_PREFIX}_entry_"
WORKGROUP = f"{RESERVED_PREFIX}_workgroup"
LOCAL = f"{RESERVED_PREFIX}_local"
INDEX = f"{RESERVED_PREFIX}_index"
REMAINDER = f"{RESERVED_PREFIX}_remainder"
ZERO = f"{RESERVED_PREFIX}_zero"
