"""The public face of Kernelgate: the client, the command line and the version.

Imports none of the server's folders, so that it works where no server is installed.
"""

from importlib.metadata import PackageNotFoundError, version

from kernelgate.calls import output
from kernelgate.client import AsyncClient, Client
from kernelgate.errors import ApiError
from kernelgate.runs import Event, Run
from kernelgate.session import AsyncSession, Session
from kernelgate.values import Tensor

try:
    __version__ = version("kernelgate")
except PackageNotFoundError:  # a checkout that was never installed
    __version__ = "0.0.0"

__all__ = [
    "ApiError",
    "AsyncClient",
    "AsyncSession",
    "Client",
    "Event",
    "Run",
    "Session",
    "Tensor",
    "__version__",
    "output",
]
