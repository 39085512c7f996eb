"""The ASGI application.

Owns how the parts are put together. Must not know what they do.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from fastapi import Depends, FastAPI

from api.access import identity_of
from api.console.routers import ROUTERS
from api.exchange import Exchanges, answered_again
from api.http import problems
from api.http.idempotency import Repeated
from api.http.query import check_query
from api.routes import (
    acl,
    audit,
    device,
    explain,
    health,
    kernels,
    keys,
    ops,
    quarantine,
    runs,
    scripts,
    secrets,
    sessions,
    stubs,
    tensors,
)
from api.runtime import Runtime
from api.settings import VERSION, Settings
from api.tracing import telemetry
from sandbox.gates.network import SYSTEM, Network
from shaders.errors import KernelgateError

ROUTES = (
    acl,
    runs,
    sessions,
    scripts,
    kernels,
    quarantine,
    tensors,
    ops,
    stubs,
    device,
    secrets,
    keys,
    audit,
    explain,
)
"""The modules of the REST interface, which ask for a key, in the order of its description."""


def create_app(settings: Settings | None = None, network: Network = SYSTEM) -> FastAPI:
    """The application; `app.state.runtime` is the server behind it, which starts with the lifespan."""
    runtime = Runtime(settings or Settings(), network)

    app = FastAPI(
        title="Kernelgate",
        version=VERSION,
        description="Scripts and WGSL kernels, run behind walls on one shared GPU.",
        lifespan=_lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry=telemetry(runtime.settings.otel),
    )
    app.state.runtime = runtime
    problems.install(app)
    app.add_exception_handler(Repeated, answered_again)
    app.add_middleware(Exchanges, server=runtime)
    for router in (health.router, *ROUTERS):
        app.include_router(router)
    for module in ROUTES:
        app.include_router(
            module.router,
            dependencies=[Depends(identity_of), Depends(check_query)],
            responses={"default": problems.RESPONSE},
        )
    return app


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Start and stop the server behind `app`, which is told why it did not start."""
    runtime: Runtime = app.state.runtime
    try:
        try:
            app.openapi()  # which is kept: queries are held against it
            await runtime.start()
        except KernelgateError as error:
            runtime.failure = error
            raise
        yield
    finally:
        await runtime.stop()
