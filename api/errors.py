"""The errors that the API itself raises, one class a code.

Owns codes and titles. Must not know statuses: `api/http/problems.py` maps codes to those.
"""

from __future__ import annotations

import math

from shaders.errors import KernelgateError


class InvalidRequest(KernelgateError):
    """A request that does not say what it must."""

    code = "invalid_request"
    title = "The request is not valid"
    remedy = "GET /openapi.json describes what each address takes."


class MalformedJson(KernelgateError):
    """A body that is not strict JSON."""

    code = "malformed_json"
    title = "The body is not valid JSON"
    remedy = "Let a library write the JSON."


class BodyTooLarge(KernelgateError):
    """A body over the cap of its route."""

    code = "body_too_large"
    title = "The body is too large"
    remedy = "Send less at once; large arrays are tensors of their own (POST /api/tensors), which requests name by id."


class UnsupportedMediaType(KernelgateError):
    """A body in a format that the route does not read."""

    code = "unsupported_media_type"
    title = "The body's format is not understood"


class NotAcceptable(KernelgateError):
    """An answer in a format that does not exist, or does not fit."""

    code = "not_acceptable"
    title = "The answer cannot be given in that format"


class MalformedTensor(KernelgateError):
    """A tensor, inline or in a file, that contradicts itself."""

    code = "malformed_tensor"
    title = "The tensor is malformed"
    remedy = 'A tensor is {"shape": [2], "dtype": "f32", "data": [1, 2]}, or a file in the form .npy or safetensors.'


class Unauthorized(KernelgateError):
    """No key, or one that is not (or no longer) valid."""

    code = "unauthorized"
    title = "A valid key is needed"
    remedy = "Send Authorization: Bearer kg_…; our clients send what is in KERNELGATE_KEY."


class ExtraMissing(KernelgateError):
    """A setting asks for what comes with an extra that is not installed."""

    code = "extra_missing"
    title = "A package that a setting needs is not installed"


class SettingInvalid(KernelgateError):
    """A setting that does not exist, or with a value that it cannot have."""

    code = "setting_invalid"
    title = "A setting cannot be used"
    remedy = "`kernelgate serve --help` shows all settings."


class StubsUnavailable(KernelgateError):
    """The stubs could not be made: the server is at fault."""

    code = "stubs_unavailable"
    title = "The stubs could not be made"
    remedy = "Try again; if it stays so, the server's log says why."


class NotFound(KernelgateError):
    """A path that is not served."""

    code = "not_found"
    title = "There is nothing at this address"
    remedy = "GET /openapi.json lists all addresses."


class MethodNotAllowed(KernelgateError):
    """A path that is served, with another method."""

    code = "method_not_allowed"
    title = "The address does not take this method"


class RunNotFound(KernelgateError):
    """A run that does not exist, or belongs to somebody else."""

    code = "run_not_found"
    title = "There is no such run"


class KernelNotFound(KernelgateError):
    """A kernel that does not exist, or belongs to somebody else."""

    code = "kernel_not_found"
    title = "There is no such kernel"


class InputMismatch(KernelgateError):
    """An input that the `main` of a stored script does not take."""

    code = "input_mismatch"
    title = "An input does not fit the script"


class ScriptNotFound(KernelgateError):
    """A stored script that does not exist, or belongs to somebody else."""

    code = "script_not_found"
    title = "There is no such stored script"


class TensorNotFound(KernelgateError):
    """A tensor that does not exist, or belongs to somebody else."""

    code = "tensor_not_found"
    title = "There is no such tensor"

    @classmethod
    def of(cls, tensor_id: str) -> TensorNotFound:
        """The error for an id."""
        return cls(
            f"there is no tensor {tensor_id[:60]!r}",
            hint="Outputs of dispatches and ops are forgotten when the server stops; upload what must last.",
        )


class TensorLost(KernelgateError):
    """A tensor that lived on the device only, which has restarted."""

    code = "tensor_lost"
    title = "The tensor went with the device"


class TensorReplaced(KernelgateError):
    """A tensor that somebody replaced while a request that had found it was about to read it."""

    code = "tensor_replaced"
    title = "The tensor was replaced meanwhile"

    @classmethod
    def of(cls, tensor_id: str) -> TensorReplaced:
        """The error for an id."""
        return cls(
            f"tensor {tensor_id[:60]!r} was replaced before it was read",
            hint="Send the request again: it reads the new elements.",
        )


class AdminOnly(KernelgateError):
    """A user's key for something that concerns everybody."""

    code = "admin_only"
    title = "Only an admin may do this"
    remedy = "Ask an admin, or send a key whose role is admin."


class ScopeMissing(KernelgateError):
    """A key that was made without the scope of a route."""

    code = "scope_missing"
    title = "The key's scopes leave this out"


class AccessDenied(KernelgateError):
    """An object that the key may see, but not do this with."""

    code = "access_denied"
    title = "The access list leaves this out"


class KeyNotFound(KernelgateError):
    """A key that does not exist."""

    code = "key_not_found"
    title = "There is no such key"


class QuotaExceeded(KernelgateError):
    """A key would use more than it may. `retry_after_s`: when there is some again, where time helps."""

    code = "quota_exceeded"
    title = "The key's quota is used up"
    retry_after_s: float | None = None

    @classmethod
    def of(
        cls, quota: str, limit: float, used: float, more: float = 0, retry_after_s: float | None = None
    ) -> QuotaExceeded:
        """The error for a quota of `limit`, of which `used` are used and `more` are asked for."""
        asked = f", and {more:,.10g} more were asked for" if more else ""
        hint = (
            "Forget what is not needed any more, or ask an admin for a key with more."
            if retry_after_s is None
            else f"Try again in {math.ceil(retry_after_s)} s, or ask an admin for a key with more."
        )
        error = cls(f"the key's quota {quota} is {limit:,.10g}; {used:,.10g} are used{asked}", hint=hint)
        error.retry_after_s = retry_after_s
        return error


class SecretNotFound(KernelgateError):
    """A secret that does not exist."""

    code = "secret_not_found"
    title = "There is no such secret"


class KernelQuarantined(KernelgateError):
    """A kernel that crashed or hung the device before."""

    code = "kernel_quarantined"
    title = "The kernel is in quarantine"


class QuarantineNotFound(KernelgateError):
    """A kernel that is not in quarantine."""

    code = "quarantine_not_found"
    title = "The kernel is not in quarantine"


class NameReserved(KernelgateError):
    """A name of a kernel or a script that belongs to the server."""

    code = "name_reserved"
    title = "The name is reserved"


class KeyExists(KernelgateError):
    """A new key with the name of one that can be used."""

    code = "key_exists"
    title = "There is a key of this name"


class LimitTooHigh(KernelgateError):
    """A limit over the server's maximum."""

    code = "limit_too_high"
    title = "A limit is over its maximum"


class DeviceLimit(KernelgateError):
    """A run used up its device time."""

    code = "device_limit"
    title = "The run used its device time"


class DispatchLimit(KernelgateError):
    """A run used up its dispatches."""

    code = "dispatch_limit"
    title = "The run used its dispatches"


class HandleLimit(KernelgateError):
    """A run would hold more tensors at once than it may."""

    code = "handle_limit"
    title = "The run holds too many tensors"


class ReadLimit(KernelgateError):
    """A script asked for more elements in Python than fit a message."""

    code = "read_limit"
    title = "The tensor is too large to read into a script"


class ResultTooLarge(KernelgateError):
    """A result with too many tensors, or nested too deeply."""

    code = "result_too_large"
    title = "The result is too large"
    remedy = "Return fewer values, or one tensor in place of many."


class SessionNotFound(KernelgateError):
    """A session that does not exist, or that another key made."""

    code = "session_not_found"
    title = "There is no such session"


class SessionBusy(KernelgateError):
    """A session whose cell has not ended."""

    code = "session_busy"
    title = "A cell of the session has not ended"


class SessionOver(KernelgateError):
    """A session that has ended, with its variables."""

    code = "session_over"
    title = "The session is over"


class TooManySessions(KernelgateError):
    """A key, or all keys together, have as many sessions as they may."""

    code = "too_many_sessions"
    title = "Too many sessions are open"


class IdempotencyConflict(KernelgateError):
    """An `Idempotency-Key` used before with another request."""

    code = "idempotency_conflict"
    title = "The idempotency key belongs to another request"


class QueueFull(KernelgateError):
    """No room for another waiting run."""

    code = "queue_full"
    title = "Too many runs are waiting"


class KeyQueueFull(KernelgateError):
    """A key has as many runs waiting as it may."""

    code = "key_queue_full"
    title = "Too many runs of this key are waiting"


class TooManyStreams(KernelgateError):
    """A key has as many event streams open as it may."""

    code = "too_many_streams"
    title = "Too many event streams are open"


class MalformedRequest(KernelgateError):
    """Bytes that are no request of HTTP, or whose end can be understood in two ways."""

    code = "malformed_request"
    title = "The request is not HTTP/1.1"
    remedy = "Send it by a client library, or look at what a proxy on the way makes of it."


class CodingNotServed(KernelgateError):
    """A request in a transfer coding that the server does not have, or with a body in another protocol."""

    code = "coding_not_served"
    title = "The server does not have this transfer coding"


class HeadersTooLarge(KernelgateError):
    """A request with more headers than any client needs."""

    code = "headers_too_large"
    title = "The request's headers are too large"
    remedy = "Send what is long in the body."


class RequestTimeout(KernelgateError):
    """A client that sends its request more slowly than anybody needs to."""

    code = "request_timeout"
    title = "The request came too slowly"
    remedy = "Send it again, without pauses; a large upload can be cut into several tensors."


class ServerStopping(KernelgateError):
    """The server is about to stop and takes no new work."""

    code = "server_stopping"
    title = "The server is stopping"
    remedy = "Send it again in a moment: a server that restarts takes new work."


class ServerRestarted(KernelgateError):
    """The server stopped while the run was in progress."""

    code = "server_restarted"
    title = "The server stopped during the run"
    remedy = "Run it again: nothing of it goes on."


class DeviceUnavailable(KernelgateError):
    """The device did not become ready."""

    code = "device_unavailable"
    title = "The device is not ready"
    remedy = "Try again in a moment; GET /readyz says what is missing."


class StorageError(KernelgateError):
    """The data folder could not be written or read."""

    code = "storage_error"
    title = "The data folder failed"
    remedy = "Try again; if it stays so, the server's log and its data folder say why."


class StorageFull(StorageError):
    """There is no room on the disk of the data folder or of the database."""

    code = "storage_full"
    title = "There is no room left to store this"

    @classmethod
    def of(cls, what: str) -> StorageFull:
        """The error for a disk."""
        return cls(
            what, hint="Delete what is not needed, which works on a full disk, or make room and try again."
        )


class StorageBusy(StorageError):
    """Another process has the database locked, or its server does not answer."""

    code = "storage_busy"
    title = "The database is not available at the moment"


class BlobCorrupt(KernelgateError):
    """A stored blob is missing or is not what was stored."""

    code = "blob_corrupt"
    title = "Stored data is damaged"

    @classmethod
    def of(cls, digest: str, what: str) -> BlobCorrupt:
        """The error for a blob."""
        return cls(f"the blob {digest[:16]} {what}", hint="Uploading the same content again repairs it.")


class BackupInvalid(KernelgateError):
    """A file that is no backup, not a whole one, or is in the way of one."""

    code = "backup_invalid"
    title = "The backup cannot be used"
    remedy = "Take another file; kernelgate backup makes a whole one."


class AddressUnavailable(KernelgateError):
    """The address or port to listen on is taken, or not this machine's."""

    code = "address_unavailable"
    title = "The address cannot be listened on"


class CertificateUnusable(KernelgateError):
    """The files of the certificate or its key cannot be read, or do not fit each other."""

    code = "certificate_unusable"
    title = "The certificate cannot be used"


class HostNotAllowed(KernelgateError):
    """A browser that knows the server by a name which is not listed."""

    code = "host_not_allowed"
    title = "The console is not served under this name"


class CrossSite(KernelgateError):
    """A browser's request that does not come from a page of the console."""

    code = "cross_site"
    title = "The request did not come from the console's own pages"
