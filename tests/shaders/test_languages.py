"""Kernels in other languages are refused by name; WGSL never is."""

from __future__ import annotations

import base64
import struct
import time
from pathlib import Path
from typing import Any

import pytest

from shaders.errors import KernelgateError
from shaders.languages import KernelLanguageError, refuse_fields, refuse_text
from shaders.limits import LIMITS
from shaders.reflect import reflect

WORDS = (0x07230203, 0x00010300, 0, 5, 0)
LITTLE, BIG = struct.pack("<5I", *WORDS), struct.pack(">5I", *WORDS)
WGSL = [
    path.read_text()
    for folder in ("../attacks/kernels", "golden", "../../examples")
    for path in sorted((Path(__file__).parent / folder).glob("*.wgsl"))
]
TEXTS = {
    "GLSL version": ("GLSL", "#version 450\nlayout(local_size_x = 64) in;\nvoid main() { }", 1),
    "GLSL main": ("GLSL", "\n// a comment\nvoid main() { x[gl_GlobalInvocationID.x] = 1.0; }", 3),
    "GLSL buffers": ("GLSL", "layout(std430, binding = 0) buffer B { float x[]; };", 1),
    "SPIR-V bytes": ("SPIR-V", LITTLE.decode("latin-1"), 1),
    "SPIR-V bytes, big end first": ("SPIR-V", BIG.decode("latin-1"), 1),
    "SPIR-V in base64": ("SPIR-V", base64.b64encode(LITTLE).decode(), 1),
    "SPIR-V in long base64": ("SPIR-V", base64.b64encode(LITTLE * 2000).decode(), 1),
    "SPIR-V in base64, big end first": ("SPIR-V", base64.b64encode(BIG).decode(), 1),
    "SPIR-V in hexadecimal": ("SPIR-V", LITTLE.hex(" "), 1),
    "SPIR-V in words": ("SPIR-V", "0x07230203, 0x00010300", 1),
    "SPIR-V in assembly": ("SPIR-V", "; SPIR-V\n; Version: 1.3\nOpCapability Shader", 1),
    "HLSL": ("HLSL", "RWStructuredBuffer<float> x;\n[numthreads(64,1,1)]\nvoid main() { x[0] = 1; }", 1),
    "CUDA": ("CUDA", 'extern "C" __global__ void f(float *x) { x[threadIdx.x] = 1; }', 1),
    "PTX": ("CUDA", ".version 7.0\n.target sm_80\n.visible .entry f() { ret; }", 3),
    "Metal": ("Metal", "#include <metal_stdlib>\nusing namespace metal;\nkernel void f() { }", 1),
    "OpenCL C": ("OpenCL C", "__kernel void f(__global float *x) { x[get_global_id(0)] = 1; }", 1),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_of_another_language_is_refused_by_its_name(name: str) -> None:
    language, text, line = TEXTS[name]
    with pytest.raises(KernelLanguageError) as caught:
        reflect(text)
    error = caught.value
    assert error.message == f"{language} is not taken: nothing can guard it; write WGSL"
    assert error.line == line
    assert error.hint


@pytest.mark.parametrize(
    ("request_", "language"),
    [
        ({"glsl": "void main() {}"}, "GLSL"),
        ({"spirv": "AwIjBwAAAQA="}, "SPIR-V"),
        ({"source": list(WORDS)}, "SPIR-V"),
        ({"source": list(LITTLE)}, "SPIR-V"),
        ({"source": list(BIG)}, "SPIR-V"),
        ({"source": {"$bytes": base64.b64encode(LITTLE).decode()}}, "SPIR-V"),
        ({"hlsl": ""}, "HLSL"),
        ({"msl": None}, "Metal"),
        ({"opencl": ""}, "OpenCL C"),
        ({"cuda": ""}, "CUDA"),
    ],
)
def test_a_request_for_another_language_is_refused_by_its_name(
    request_: dict[str, Any], language: str
) -> None:
    with pytest.raises(KernelLanguageError, match=f"^{language} is not taken"):
        refuse_fields({"name": "x", **request_})


@pytest.mark.parametrize("source", [5, None, [], [1], {}, {"$bytes": 5}, {"$bytes": "AAAA"}, "fn"])
def test_other_requests_are_none_of_its_business(source: object) -> None:
    refuse_fields({"name": "x", "source": source})


def test_valid_wgsl_is_never_taken_for_another_language() -> None:
    comment = "// void main() __global__ #version [numthreads(8)] __kernel kernel void gl_Position\n"
    for text in WGSL:
        refuse_text(comment + text)
    assert reflect(comment + "@compute @workgroup_size(1) fn main() { }").entry_points


@pytest.mark.parametrize(
    "text", ["// ported from void main()\nfn f( {", "import os\nprint(1)", "", "@compute fn void main()"]
)
def test_other_texts_keep_their_own_errors(text: str) -> None:
    with pytest.raises(KernelgateError) as caught:
        reflect(text)
    assert caught.value.code != "kernel_language"


@pytest.mark.parametrize(
    "piece",
    ["/*", "layout(", "kernel ", "[ ", "void ", "threadIdx ", "gl_", "//", "#", "@ ", "get_global_id "],
)
def test_looking_takes_time_that_grows_with_the_text_alone(piece: str) -> None:
    began = time.process_time()
    refuse_text(piece * (LIMITS.source_characters // len(piece)))
    assert time.process_time() - began < 1
