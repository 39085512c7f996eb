"""Module docs."""
from __future__ import annotations
__version__ = "1.2"
__all__ = ["x"]
__author__: str = "me"
print(__doc__, __version__, __all__, __author__, __name__)
def main() -> int:
    print("in main", __version__)
    return 0
if __name__ == "__main__":
    import sys
    code = main()
    sys.exit(code)
