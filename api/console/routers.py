"""All pages of the console.

Owns the list of their routers, of which the last has what no other has. Must not know what they show.
"""

from __future__ import annotations

from api.console import (
    device_page,
    entrance,
    kernel_pages,
    key_pages,
    nowhere,
    op_pages,
    run_pages,
    script_pages,
    secret_pages,
    tensor_pages,
)

ROUTERS = tuple(
    module.router
    for module in (
        entrance,
        run_pages,
        kernel_pages,
        script_pages,
        op_pages,
        tensor_pages,
        key_pages,
        secret_pages,
        device_page,
        nowhere,
    )
)
