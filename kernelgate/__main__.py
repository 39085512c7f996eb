"""`python -m kernelgate`: the same as the command `kernelgate`."""

import sys

from kernelgate.cli import main

if __name__ == "__main__":
    sys.exit(main())
