"""People: HTTP routes, keys, runs, storage, metrics and the server's commands.

May import all of the other folders. Must not know how a kernel is made.
"""
