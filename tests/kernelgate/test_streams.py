"""Following a run through a network that breaks: no event is lost, and none comes twice."""

from __future__ import annotations

import asyncio
import select
import socket
import socketserver
import threading
from collections.abc import Iterator

import pytest

from kernelgate import AsyncClient, Client, Event, cli
from kernelgate.local import LocalServer

STEPS = 12
SCRIPT = f"""
import time

def main():
    for step in range({STEPS}):
        print("step", step)
        progress((step + 1) / {STEPS}, step=step)
        time.sleep(0.02)
    return "done"
"""
_WAIT_S = 30


class CuttingProxy(socketserver.ThreadingTCPServer):
    """What leads to a server, and closes each stream of events after some bytes, wherever in an event that is."""

    allow_reuse_address = True

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.upstream = port
        self.cuts = 0
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def bytes_of_stream(self) -> int:
        """How much of the next stream is let through: its headers and a few events, another part each time."""
        return 700 + 137 * (self.cuts % 5)


class _Connection(socketserver.BaseRequestHandler):
    server: CuttingProxy

    def handle(self) -> None:
        client = self.request
        with socket.create_connection(("127.0.0.1", self.server.upstream), _WAIT_S) as upstream:
            left = None
            while ready := select.select([client, upstream], [], [], _WAIT_S)[0]:
                data = ready[0].recv(4096)
                if not data:
                    return
                if ready[0] is client:
                    left = self.server.bytes_of_stream() if b"/events " in data else None
                    upstream.sendall(data)
                    continue
                client.sendall(data[:left])
                left = None if left is None else left - len(data)
                if left is not None and left <= 0:
                    self.server.cuts += 1
                    return


@pytest.fixture
def proxy(server: LocalServer) -> Iterator[CuttingProxy]:
    with CuttingProxy(server.port) as cutting:
        thread = threading.Thread(target=cutting.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield cutting
        cutting.shutdown()
        thread.join(_WAIT_S)


def test_a_client_takes_up_each_stream_that_is_cut(
    server: LocalServer, client: Client, proxy: CuttingProxy
) -> None:
    with Client(proxy.url, server.key) as through:
        run = through.start(SCRIPT)
        seen = list(through.events(run.id))
    assert proxy.cuts > 2
    assert seen == list(client.events(run.id))
    assert seen[-1].kind == "result"


def test_an_asynchronous_client_does_too(server: LocalServer, client: Client, proxy: CuttingProxy) -> None:
    async def followed() -> list[Event]:
        async with AsyncClient(proxy.url, server.key) as through:
            return [event async for event in through.events((await through.start(SCRIPT)).id)]

    seen = asyncio.run(followed())
    assert proxy.cuts > 2
    run = client.list_runs(1)[0]
    assert seen == list(client.events(run["id"]))


def test_a_watched_run_prints_each_line_once(
    server: LocalServer,
    proxy: CuttingProxy,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    monkeypatch.setenv("KERNELGATE_URL", proxy.url)
    monkeypatch.setenv("KERNELGATE_KEY", server.key)
    file = tmp_path_factory.mktemp("watched") / "script.py"
    file.write_text(SCRIPT)
    assert cli.main(["run", str(file), "--watch"]) == 0
    said = capsys.readouterr()
    assert said.out == "".join(f"step {step}\n" for step in range(STEPS)) + '"done"\n'
    assert said.err.count("step=") == STEPS
    assert proxy.cuts > 2
