"""`docs/library/`, made from the table: `python -m ops.handbook docs/library`.

Owns the pages of the library that is not about tensors: which row is on which page, and the form of a section. What
the examples print is computed with NumPy, by the reference. Must not know what rows mean.
"""

from __future__ import annotations

import base64
import json
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ops import hashing, routines, samples
from ops.document import facts
from ops.reference.samples import outcome, value_of
from ops.samples import Sample, Value, dtype_of, flat
from ops.spec import OpSpec
from ops.table import TABLE

_WIDTH = 118


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its title, what holds for all of it, and which rows it has."""

    title: str
    head: str
    has: Callable[[OpSpec], bool]


PAGES: dict[str, Page] = {
    "hashes": Page(
        "Hashes and checksums",
        "Messages are given as a list of bytes over HTTP, as text or bytes in a script; on the device they are two"
        " tensors, `data` (their bytes in u32 words, the first byte lowest) and `offsets`. One invocation hashes one"
        " message: many are hashed at once, one alone is no faster than on a processor. A message may be as long as"
        " a tensor of the device: long ones go on from their saved state, dispatch by dispatch. Known bounds help:"
        " give `max_bytes` where tensors are given instead of bytes. A message that is longer, or outside of `data`,"
        " gets a digest of zeros.",
        lambda spec: spec.kind == "digest" or spec.name == "digest_rows",
    ),
    "keys": Page(
        "Keys, trees and nonces",
        "HMAC and key derivation with keys of any length, trees of digests, and the search for a nonce. Messages,"
        " keys, salts and infos are lists of bytes, as of [hashes](hashes.md). Derivations of many iterations go on"
        " from their saved state, dispatch by dispatch.\n\nNothing here is made to resist who measures time or power"
        " on the same device.",
        lambda spec: spec.namespace == "hash",
    ),
    "bits": Page(
        "Bits and text",
        "Functions of the bits of words, element by element, and bytes as text. Packed bytes are u32 words, the first"
        " byte lowest; `$bytes` gives them so.",
        lambda spec: spec.namespace == "bits",
    ),
    "arrays": Page(
        "Flat arrays",
        "Sums, sorting, selection and search over arrays, most of them of one axis, of up to 2^31 - 1 elements as far"
        " as the device's memory reaches. Results whose size depends on the data are filled up to a size that does not;"
        " the functions of scripts cut them.",
        lambda spec: spec.namespace == "data",
    ),
    "random": Page(
        "Random numbers",
        "Streams of u32 words by counter or seed: the same key gives the same words on every device, and any part of a"
        " stream can be made without what comes before it. They are for simulation, not for secrets.",
        lambda spec: spec.namespace == "random",
    ),
    "ciphers": Page(
        "Ciphers",
        "Bulk encryption. The same call encrypts and decrypts; nothing tells whether a text was altered, so add an"
        " [HMAC](keys.md), and never use a nonce twice with one key. AES reads a table at places that depend on the"
        " key: it is **not constant-time**. Keys lie in ordinary device memory.",
        lambda spec: spec.namespace == "cipher",
    ),
}
_TERMINAL = """\
```bash
export URL=http://127.0.0.1:8765
export AUTH="Authorization: Bearer $(cat ${KERNELGATE_DATA:-~/.local/share/kernelgate}/admin.key)"
```
"""


def library() -> list[OpSpec]:
    """The rows that are not about tensors."""
    return [spec for spec in TABLE.values() if spec.namespace != "tensor"]


def page_of(spec: OpSpec) -> str:
    """The name of the page that a row of `library` is on. Raises `KeyError` when there is none."""
    found = next((name for name, page in PAGES.items() if page.has(spec)), None)
    if found is None:
        raise KeyError(f"no page of the library takes {spec.namespace}.{spec.name}")
    return found


def document(name: str) -> str:
    """The text of a page."""
    page = PAGES[name]
    rows = [spec for spec in library() if page_of(spec) == name]
    more = samples.MORE.get(name, {})
    parts = [
        f"# {page.title}\n",
        "Made from the op table by `python -m ops.handbook docs/library`; do not edit.\n",
        f"{page.head}\n",
        "The examples share one terminal:\n",
        _TERMINAL,
        *(_section(spec) for spec in rows),
        *(_composed(function, text) for function, text in more.items()),
    ]
    return "\n".join(parts)


def _section(spec: OpSpec) -> str:
    example = samples.sample(spec)
    follows = [f"It follows {spec.standard}.\n"] if spec.standard else []
    return "\n".join(
        [f"## {spec.name}\n", *facts(spec), *follows, _request(spec, example), _script(samples.call(spec))]
    )


def _composed(name: str, call: str) -> str:
    """A section for a function that scripts have and the table has not."""
    module, names = (
        ("routines", routines.namespace())
        if name in routines.namespace()
        else ("hashing", hashing.namespace())
    )
    paragraph = f"`{module}.{name}`, in scripts only. {names[name].__doc__}\n"
    return "\n".join([f"## {name}\n", paragraph, _script(call)])


def _request(spec: OpSpec, example: Sample) -> str:
    """A request with `curl`, and its answer."""
    body: dict[str, Any] = {"inputs": [json_of(value) for value in example.inputs]}
    if example.attributes:
        body["attributes"] = example.attributes
    answer = json.dumps(outcome(spec, example)).removeprefix("{")
    return "\n".join(
        [
            "```bash",
            f"curl -s $URL/api/ops/{spec.name} -H \"$AUTH\" -d '\n{_folded(json.dumps(body))}'",
            "```",
            "```json",
            _folded(f'{{"output": {{"$tensor": {{…{answer}}}, …}}'),
            "```\n",
        ]
    )


def _script(call: str) -> str:
    """A script, and its result."""
    imports = [f"import {module}\n\n" for module in ("hashing", "routines") if f"{module}." in call]
    code = f"{''.join(imports)}result = {call}"
    return "\n".join(
        ["```python script", code, "```", "```json", _folded(json.dumps(value_of(call))), "```\n"]
    )


def _folded(text: str) -> str:
    return textwrap.fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def json_of(value: Value) -> Any:
    """A sample as a request has it."""
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode()}
    if samples.is_messages(value):
        return [json_of(each) for each in value if isinstance(each, bytes)]
    shape, data = flat(value)
    return {"$tensor": {"shape": shape, "dtype": dtype_of(data), "data": data}}


if __name__ == "__main__":
    for page in PAGES:
        Path(sys.argv[1], f"{page}.md").write_text(document(page))
