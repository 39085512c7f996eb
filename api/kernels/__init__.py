"""Kernels: stored ones, what they are built to, the arguments of a dispatch, and the device that gets it.

Must not know runs.
"""
