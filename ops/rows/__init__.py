"""The rows of the op table by family. `ops/table.py` collects them."""
