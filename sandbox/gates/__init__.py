"""The gates: the only roads from a run to anything outside its worker.

Owns what a run was granted, and the brokers that serve `fetch`, files and named values in the server's process.
A request comes from a worker that an attacker may control: nothing in it is trusted. Must not know how a request
travels (`sandbox/pool.py`) or who may grant what (`api/auth/identity.py`). `gates.frames` is all that a worker imports.
"""
