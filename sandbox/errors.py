"""The errors that a script or its worker may end in, one stable code each.

Owns the codes and titles. Must not know who raises them: the policy, the worker and the pool all do.
"""

from __future__ import annotations

from shaders.errors import KernelgateError


class ScriptSyntaxError(KernelgateError):
    """The script is not Python."""

    code = "script_syntax"
    title = "The script is not valid Python"


class ScriptDeniedError(KernelgateError):
    """The script asks for something that the language policy does not give."""

    code = "script_denied"
    title = "The script uses something that is not available"


class ScriptError(KernelgateError):
    """The script raised, or its result cannot leave the sandbox."""

    code = "script_error"
    title = "The script failed"


class WallLimitError(KernelgateError):
    """The run took longer than its wall-clock limit."""

    code = "wall_limit"
    title = "The run reached its time limit"


class CpuLimitError(KernelgateError):
    """The run used more processor time than its limit."""

    code = "cpu_limit"
    title = "The run reached its processor time limit"


class MemoryLimitError(KernelgateError):
    """The run needed more memory than its limit."""

    code = "memory_limit"
    title = "The run reached its memory limit"


class OutputLimitError(KernelgateError):
    """The worker sent more output than its limit, although it was told to stop."""

    code = "output_limit"
    title = "The run reached its output limit"
    remedy = "Print less, return a result, or ask for a larger limit output_bytes."


class MessageLimitError(KernelgateError):
    """The worker said more than a run may say."""

    code = "message_limit"
    title = "The run sent too many messages"


class WorkerCrashedError(KernelgateError):
    """The worker process died without an answer."""

    code = "worker_crashed"
    title = "The worker process died"
    remedy = "Run it again; if it stays so, the server's log says why."


KILLS = frozenset(
    error.code
    for error in (
        WallLimitError,
        CpuLimitError,
        MemoryLimitError,
        OutputLimitError,
        MessageLimitError,
        WorkerCrashedError,
    )
)
"""The codes of what ends a worker before it is done."""


class PermissionDeniedError(KernelgateError):
    """The run was not granted what the script asked for."""

    code = "permission_denied"
    title = "The run has no grant for this"


class SandboxWeakError(KernelgateError):
    """This machine has no wall around a worker, and its owner has not said that this is good enough."""

    code = "sandbox_weak"
    title = "Scripts do not run behind walls this weak"


class NativeRefusedError(KernelgateError):
    """The run asks for native code, which this server's settings or this machine's walls do not give."""

    code = "native_refused"
    title = "Native code does not run here"


class ValueFormError(KernelgateError):
    """A value has no form that can cross the wall of the sandbox."""

    code = "value_unsupported"
    title = "The value cannot enter or leave the sandbox"
    remedy = "Use None, bool, int, float, str, bytes, tensors, and lists or dicts of these."
