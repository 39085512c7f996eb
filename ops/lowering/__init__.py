"""One module a family of ops: from layouts to dispatches. `ops/lower.py` chooses among them."""
