"""`numpy.random`: NumPy's own streams of random numbers.

Owns the bit generators and the distributions drawn from them. A stream of the process itself begins at its first
use, never in the zygote, so that no two workers share one. Must not know how scripts import it.
"""
