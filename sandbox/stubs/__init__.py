"""Typed stubs of what a script can use, made from the very objects that scripts get.

`python -m sandbox.stubs` prints them: it is a process of its own, since making scripts' views changes the standard
library of the process that does it.
"""
