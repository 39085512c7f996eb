"""The peer of uploads and downloads: a bare FastAPI handler that only reads or sends a body.

Run as `python bench/bare.py PORT`.
"""

from __future__ import annotations

import sys

import uvicorn
from fastapi import FastAPI, Request, Response

app = FastAPI()
bodies: dict[str, bytes] = {}


@app.post("/data")
async def keep(request: Request) -> int:
    """Read the body and keep it."""
    bodies["last"] = await request.body()
    return len(bodies["last"])


@app.get("/data")
async def give() -> Response:
    """Send the last body."""
    return Response(bodies["last"], media_type="application/octet-stream")


if __name__ == "__main__":
    uvicorn.run(app, port=int(sys.argv[1]), log_level="warning", http="httptools", access_log=False)
