"""Wall 1: the language that scripts are written in.

Owns what a script may say and reach: the transformer on RestrictedPython's base, the guards that compiled
scripts call, the builtins, and the views of the standard library. It keeps honest scripts honest and errors
readable; the sealed process around the worker is the wall that counts. Must not know sockets or limits.
"""
