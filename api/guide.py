"""`/llms.txt`: one page that teaches an agent to use this host.

Owns what the page is told of this server, and what to do about which error. The text is `templates/llms.txt.j2`. Must
not know routes beyond their addresses.
"""

from __future__ import annotations

import re

from jinja2 import Environment, PackageLoader, StrictUndefined

from api.http.problems import status_of, title_of
from api.settings import VERSION, RunLimits, Settings
from host.frames import DeviceInfo
from ops.table import TABLE

_environment = Environment(
    loader=PackageLoader("api", "templates"),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_ADDRESS = re.compile(r"https?://[A-Za-z0-9._\-\[\]:]{1,255}")

ADVICE = {
    "unauthorized": "ask for a key; send it as `Authorization: Bearer KEY`",
    "scope_missing": "the key may not use this route: ask for one with the scope in `hint`",
    "permission_denied": "ask for the grant in `hint`, if your key may have it; else go without",
    "script_syntax": "mend the script at `line`",
    "script_denied": "use something else at `line`: it is not there for scripts",
    "script_error": "the script raised: read `detail` and `snippet`, and mend it",
    "input_mismatch": "send inputs as `GET /api/scripts/NAME` describes them",
    "shape_mismatch": "mend the shapes; `detail` has both",
    "dtype_mismatch": "cast first: `x.float()`, `x.to(torch.int32)`",
    "value_unsupported": "return numbers, text, bytes, lists, dicts or tensors",
    "result_too_large": "return tensors, or less",
    "read_limit": "reduce on the device before `tolist` or `item`",
    "kernel_syntax": "mend the WGSL at `line`",
    "kernel_compile": "mend the WGSL at `line`",
    "binding_mismatch": "give every binding by its name, as `GET /api/kernels/NAME` lists them",
    "fuel_exhausted": "the kernel loops too long a thread: do less in each, or give `fuel`",
    "driver_loop_limit": "this software device turns few loops: do less in each thread, or in several dispatches",
    "kernel_hung": "a thread did not yield: the kernel is in quarantine; write it otherwise",
    "wall_limit": "ask for more in `limits`, or do less",
    "device_limit": "ask for more in `limits`, or do less",
    "device_out_of_memory": "delete tensors that you do not need; work in smaller parts",
    "limit_too_high": "ask for no more than `hint` says",
    "quota_exceeded": "wait for `Retry-After` seconds, or delete what you do not need",
    "key_queue_full": "wait for `Retry-After` seconds",
    "tensor_lost": "compute or upload the tensor again",
    "tensor_replaced": "send the request again: it reads the new elements",
    "device_restarted": "send the request again",
    "device_unavailable": "wait for `Retry-After` seconds",
    "storage_full": "delete what you do not need, or tell who runs the host",
    "internal": "not your fault: tell who runs the host, with `X-Request-Id`",
}
"""What an agent does about an error, by its code."""


def guide(settings: Settings, address: str, device: DeviceInfo | None) -> str:
    """The page for a client that reached the server at `address`, in Markdown.

    An address that is none, as a made-up `Host` may give, is replaced by the server's own.
    """
    limits = {
        name: (getattr(settings, f"default_{name}"), getattr(settings, f"max_{name}"))
        for name in RunLimits.__struct_fields__
    }
    own = f"http://{settings.host}:{settings.port}"
    return _environment.get_template("llms.txt.j2").render(
        address=address if _ADDRESS.fullmatch(address) else own,
        version=VERSION,
        device=device,
        settings=settings,
        limits=limits,
        ops=len(TABLE),
        advice=[(code, status_of(code), title_of(code), what) for code, what in ADVICE.items()],
    )
