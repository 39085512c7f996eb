"""A stranger's kernel as text, and the errors that point into it.

Owns line breaks, positions and the three ways in which a kernel is refused. Must not know what the text means.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from shaders.errors import KernelgateError, caret
from shaders.limits import Limits

_LINE_BREAK = re.compile("\r\n|[\n\v\f\r\x85\u2028\u2029]")
_OTHER_SEPARATOR = re.compile("[\x1c-\x1e]")
_NEVER = re.compile("[\0\ud800-\udfff]")


class KernelSyntaxError(KernelgateError):
    """The text is not WGSL."""

    code = "kernel_syntax"
    title = "The kernel is not valid WGSL"


class KernelLimitError(KernelgateError):
    """The kernel is larger than Kernelgate compiles for strangers."""

    code = "kernel_limit"
    title = "The kernel is over a limit"


class KernelUnsupportedError(KernelgateError):
    """The kernel may be valid WGSL, but uses what Kernelgate does not let kernels use."""

    code = "kernel_unsupported"
    title = "The kernel uses something that is not available"


class Source:
    """A kernel's text with every line break of WGSL made a line feed, so that lines count the same for all."""

    def __init__(self, text: str, limits: Limits) -> None:
        """Raises `KernelLimitError` on a text that is too long, `KernelSyntaxError` on NUL or half a character."""
        if len(text) > limits.source_characters:
            raise KernelLimitError(
                f"the source has {len(text)} characters; the limit is {limits.source_characters}",
                hint="Pass tables of data as storage bindings instead of writing them into the source.",
            )
        self.text = _OTHER_SEPARATOR.sub(" ", _LINE_BREAK.sub("\n", text))
        self._starts = [0, *(match.end() for match in re.finditer("\n", self.text))]
        bad = _NEVER.search(self.text)
        if bad:
            what = "a NUL character" if bad.group() == "\0" else "half of a surrogate pair"
            self.text = _NEVER.sub("\N{REPLACEMENT CHARACTER}", self.text)
            raise self.error(KernelSyntaxError, bad.start(), f"the source contains {what}")

    def position(self, offset: int) -> tuple[int, int]:
        """The line and column, both from 1, of the character at `offset`."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def gap(self, end: int, start: int) -> int:
        """Where what is missing between a token's `end` and the next one's `start` belongs: behind the one if the other
        is in another line, as compilers have it, and else before the other."""
        return end if self.text.find("\n", end, start) >= 0 else start

    def error(
        self, kind: type[KernelgateError], offset: int, message: str, hint: str | None = None
    ) -> KernelgateError:
        """An error of `kind` that points at the character at `offset`."""
        line, column = self.position(offset)
        return kind(message, hint=hint, line=line, column=column, snippet=caret(self.text, line, column))
