"""`/healthz`, `/readyz`, `/metrics`, `/openapi.json`, `/docs`, `/llms.txt`: what needs no key."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse
from msgspec import to_builtins

from api.access import Server
from api.docs import page
from api.guide import guide
from api.http.answers import json_response

router = APIRouter(tags=["server"])


@router.get("/", include_in_schema=False)
async def root() -> Response:
    """Where to look."""
    return Response(status_code=307, headers={"Location": "/console"})


@router.get("/healthz", summary="Whether the server lives")
async def health(server: Server) -> Response:
    """Always 200, with the walls around workers, device and compiler, why not more, and whether scripts run."""
    sandbox = {"level": server.pool.level, "reason": server.pool.reason, "scripts": server.pool.runs_scripts}
    devices = {"device": server.device, "compiler": server.compiler}
    sealed = {name: to_builtins(device.seal) for name, device in devices.items()}
    return json_response({"status": "ok", "sandbox": sandbox, **sealed})


@router.get("/readyz", summary="Whether the server can work")
async def ready(server: Server) -> Response:
    """200 when device, workers and database are up, else 503 with reasons.

    `degraded` says what cannot be done at the moment while the rest can, as on a full disk.
    """
    reasons, degraded = await server.reasons(), server.readiness.degraded()
    answer = {"ready": not reasons, "reasons": reasons, "degraded": degraded}
    return json_response(answer, 503 if reasons else 200)


@router.get("/metrics", summary="Figures for Prometheus", response_class=PlainTextResponse)
async def metrics(server: Server) -> Response:
    """Counters in Prometheus' text format."""
    server.metrics.restarts.set(server.device.restarts)
    server.metrics.device_bytes.set(server.device.memory.live_bytes)
    return Response(server.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


@router.get("/llms.txt", summary="How an agent uses this host", response_class=PlainTextResponse)
async def llms(request: Request, server: Server) -> PlainTextResponse:
    """One page of Markdown, with this server's address, device and limits, and examples that run."""
    address = str(request.base_url).rstrip("/")
    return PlainTextResponse(guide(server.settings, address, server.device.info))


@router.get("/openapi.json", include_in_schema=False)
async def description(request: Request) -> Response:
    """Every route, with the schema of its body."""
    return json_response(request.app.openapi())


@router.get("/docs", include_in_schema=False)
async def docs(request: Request) -> Response:
    """The documentation of all routes and errors; it loads nothing from anywhere."""
    policy = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
    return Response(page(request.app), headers=policy, media_type="text/html; charset=utf-8")
