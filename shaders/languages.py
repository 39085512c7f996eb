"""Shading languages that are not WGSL, known by their looks.

Owns the table and the refusal by name. Looks decide nothing by themselves: only a text that is no WGSL is judged by
them, so that no valid kernel is ever taken for another language's.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from shaders.errors import KernelgateError, caret

_COMMENT = re.compile(r"//[^\n]*|/\*(?:.*?\*/|.*)", re.DOTALL)
_NOT_BREAK = re.compile(r"[^\n]")
_WGSL = re.compile(r"@\s*compute\b")
_FIRST_NUMBERS = ([0x07230203], [0x03022307], [0x03], [0x07])
"""Of a SPIR-V module, as words or as bytes, in both byte orders."""


class KernelLanguageError(KernelgateError):
    """The kernel is written in another language than WGSL."""

    code = "kernel_language"
    title = "The kernel is not written in WGSL"


class Language(NamedTuple):
    """A language: its name, the fields of a request that would carry it, its looks, and how WGSL says the same."""

    name: str
    fields: tuple[str, ...]
    looks: re.Pattern[str]
    hint: str


LANGUAGES = (
    Language(
        "SPIR-V",
        ("spirv", "spir_v", "spv"),
        re.compile(
            r"\A\s*(?:AwIjB|ByMCA|(?:0x)?0?7230203\b|03\s*02\s*23\s*07|\x03\x02\x23\x07|\x07\x23\x02\x03|;\s*SPIR-V)"
            r"|\bOpCapability\s+Shader\b"
        ),
        "Translate it, for example with `naga in.spv out.wgsl` or `tint --format wgsl in.spv`.",
    ),
    Language(
        "CUDA",
        ("cuda", "cu", "ptx"),
        re.compile(r"__global__|__device__|\b(?:threadIdx|blockIdx|blockDim)\s*\.|\.visible\s+\.entry\b"),
        "threadIdx is @builtin(local_invocation_id), blockIdx @builtin(workgroup_id), __shared__ var<workgroup>.",
    ),
    Language(
        "OpenCL C",
        ("opencl", "cl"),
        re.compile(r"__kernel\b|\bget_(?:global|local|group)_id\s*\("),
        "get_global_id(0) is @builtin(global_invocation_id).x; buffers are var<storage>, local memory var<workgroup>.",
    ),
    Language(
        "Metal",
        ("metal", "msl"),
        re.compile(
            r"#include\s*<metal_|\busing\s+namespace\s+metal\b|\bkernel\s+void\b|\[\[\s*(?:kernel|buffer)\b"
        ),
        "thread_position_in_grid is @builtin(global_invocation_id); [[buffer(0)]] is @group(0) @binding(0).",
    ),
    Language(
        "HLSL",
        ("hlsl",),
        re.compile(
            r"\[\s*numthreads\s*\(|\b(?:RW)?(?:StructuredBuffer|ByteAddressBuffer)\b|\bSV_\w*ThreadID\b"
        ),
        "[numthreads(64, 1, 1)] is @workgroup_size(64), SV_DispatchThreadID @builtin(global_invocation_id).",
    ),
    Language(
        "GLSL",
        ("glsl", "comp"),
        re.compile(
            r"\A\s*#\s*version\b|\bvoid\s+main\s*\(|\blayout\s*\([^)]{0,200}\)\s*(?:in|buffer|uniform)\b|\bgl_[A-Z]\w+"
        ),
        "void main() is @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>); "
        "a buffer is @group(0) @binding(0) var<storage, read_write> x: array<f32>;",
    ),
)


def refuse_text(text: str) -> None:
    """Raise `KernelLanguageError` when `text`, which is no WGSL, looks like another language. Comments do not count."""
    bare = _COMMENT.sub(lambda found: _NOT_BREAK.sub(" ", found.group()), text)
    if _WGSL.search(bare):
        return
    for language in LANGUAGES:
        found = language.looks.search(bare)
        if found is not None:
            start = found.end() - len(found.group().lstrip())
            line, column = text.count("\n", 0, start) + 1, start - (text.rfind("\n", 0, start) + 1) + 1
            error = _refusal(language)
            error.line, error.column, error.snippet = line, column, caret(text, line, column)
            raise error


def refuse_fields(request: dict[str, Any]) -> None:
    """Raise `KernelLanguageError` when a request names another language, or its `source` is SPIR-V, not as text."""
    for language in LANGUAGES:
        if not request.keys().isdisjoint(language.fields):
            raise _refusal(language)
    source = request.get("source")
    words = source[:1] if isinstance(source, list) else []
    encoded = source.get("$bytes") if isinstance(source, dict) else None
    spirv = LANGUAGES[0]
    if words in _FIRST_NUMBERS or (isinstance(encoded, str) and spirv.looks.match(encoded)):
        raise _refusal(spirv)


def _refusal(language: Language) -> KernelLanguageError:
    return KernelLanguageError(
        f"{language.name} is not taken: nothing can guard it; write WGSL", hint=language.hint
    )
