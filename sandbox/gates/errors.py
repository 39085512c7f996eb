"""The errors that a request to a gate may end in, one stable code each.

Owns the codes and titles of the gates. `PermissionDenied` is the only one that a grant would turn into success.
"""

from __future__ import annotations

import json
from typing import Literal

from sandbox.errors import PermissionDeniedError
from shaders.errors import KernelgateError


class PermissionDenied(PermissionDeniedError):
    """The run was not granted this. `grant` is the part of a run's `grants` that would open the gate.

    `gate` is the field of `Grants` that decides, `asked` what the script asked for, in words. `by` is whose grants
    leave it out, where that is known: the `key`'s, or only the `run`'s.
    """

    by: Literal["key", "run"] | None = None

    def __init__(self, gate: str, asked: str, grant: dict[str, object]) -> None:
        super().__init__(
            f"{gate}: {asked} is not granted to this run",
            hint=f"A run whose grants include {json.dumps(grant)} may do this, if its key allows it.",
        )
        self.gate = gate
        self.asked = asked
        self.grant = grant


def grant_for(error: KernelgateError) -> dict[str, object] | None:
    """The grant that would turn `error` into success, if one would."""
    return error.grant if isinstance(error, PermissionDenied) else None


class GrantError(KernelgateError):
    """The `grants` of a run or key are not of the documented form."""

    code = "grants_invalid"
    title = "The grants are not valid"
    remedy = "GET /openapi.json describes the grants of a run and of a key."


class FetchRefused(KernelgateError):
    """No grant opens this: a malformed URL or header, another scheme, an address that is not public."""

    code = "fetch_refused"
    title = "The request cannot be made from here"
    remedy = "Ask for another address, or mend what the message names."


class FetchLimit(KernelgateError):
    """The request or its response is larger than a limit, or redirects too often."""

    code = "fetch_limit"
    title = "The request reached a limit"
    remedy = "Ask for less at once: a page, or a part by Range."


class FetchTimeout(KernelgateError):
    """The response was not complete in time."""

    code = "fetch_timeout"
    title = "The request took too long"
    remedy = "Ask for less, or try again: the host may be slow at the moment."


class FetchFailed(KernelgateError):
    """The other side could not be reached or does not speak HTTP properly."""

    code = "fetch_failed"
    title = "The request failed"
    remedy = "Try again; if it stays so, it is for whose host it is to mend."


class FileRefused(KernelgateError):
    """No grant opens this: a link, a device, a malformed name."""

    code = "file_refused"
    title = "The file cannot be reached from here"
    remedy = "Take another path, or mend what the message names."


class FileQuota(KernelgateError):
    """The folder's quota, the size limit of a file, or the host's disk is used up."""

    code = "file_quota"
    title = "The folder's quota is used up"
    remedy = "Delete what is not needed, or ask an admin for a grant with more."


class FileMissing(KernelgateError):
    """There is nothing of that name."""

    code = "file_not_found"
    title = "No such file or folder"
    remedy = "os.listdir of the folder above shows what there is."


class FileExists(KernelgateError):
    """There is something of that name already."""

    code = "file_exists"
    title = "The file exists"
    remedy = "Take another name, or remove what is there."


class FileIsFolder(KernelgateError):
    """A file was asked for; the name is a folder's."""

    code = "file_is_folder"
    title = "Is a folder"
    remedy = "os.listdir shows what is in it; name a file."


class FileNotFolder(KernelgateError):
    """A folder was asked for; the name, or a part of it, is a file's."""

    code = "file_not_folder"
    title = "Not a folder"
    remedy = "Name a folder: this is a file."


class FolderNotEmpty(KernelgateError):
    """Only an empty folder can be removed."""

    code = "folder_not_empty"
    title = "The folder is not empty"
    remedy = "Remove what is in it before."
