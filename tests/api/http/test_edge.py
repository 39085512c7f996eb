"""`api/http/edge.py` over real sockets: clients that are slow, that never read, or that are too many."""

from __future__ import annotations

import contextlib
import gc
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from http.client import HTTPResponse
from pathlib import Path
from typing import Any

import httpx2
import pytest

from api.errors import CertificateUnusable
from api.http.edge import Protocol
from api.server import Server
from api.settings import Settings

PATIENCE_S, LONGER_S = 0.4, 2.0
HEAD = b"POST /api/tensors?shape=100000&dtype=f32 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"
BODY = b"Content-Type: application/octet-stream\r\nContent-Length: 400000\r\n\r\n"


@pytest.fixture(scope="module")
def impatient(start: Callable[..., Any]) -> Iterator[Any]:
    with start(adapter="null", patience_s=PATIENCE_S, connections=20) as server:
        yield server


@pytest.fixture(scope="module")
def patient(start: Callable[..., Any]) -> Iterator[Any]:
    """A server that waits for longer than a busy machine keeps a client waiting."""
    with start(adapter="null", patience_s=LONGER_S, connections=20) as server:
        yield server


@contextlib.contextmanager
def connected(server: Any) -> Iterator[socket.socket]:
    port = httpx2.URL(server.url).port
    with socket.create_connection(("127.0.0.1", port), timeout=20) as sock:
        yield sock


def rest(sock: socket.socket) -> bytes:
    """All that the server sends until it closes."""
    found = b""
    with contextlib.suppress(ConnectionError):
        while piece := sock.recv(1 << 16):
            found += piece
    return found


def trickle(sock: socket.socket, piece: bytes) -> None:
    """Send `piece` again and again until the server closes, or fail in the end."""
    sock.settimeout(PATIENCE_S / 5)
    end = time.monotonic() + 60
    with contextlib.suppress(ConnectionError):
        while time.monotonic() < end:
            sock.sendall(piece)
            with contextlib.suppress(TimeoutError):
                if not sock.recv(1 << 16):
                    return
        raise AssertionError("the connection is still open")


@pytest.mark.parametrize("sent", [b"", b"GET ", b"GET / HTTP/1.1\r\nHost: x\r\n"])
def test_a_head_that_does_not_come_ends_the_connection(impatient: Any, sent: bytes) -> None:
    began = time.monotonic()
    with connected(impatient) as sock:
        sock.sendall(sent)
        answer = rest(sock)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b'"code":"request_timeout"' in answer
    assert time.monotonic() - began > PATIENCE_S * 0.9


def test_headers_and_bodies_that_trickle_end_the_connection(impatient: Any) -> None:
    key = impatient.key.encode()
    with connected(impatient) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\n")
        trickle(sock, b"a: b\r\n")
    with connected(impatient) as sock:
        sock.sendall(HEAD % key + BODY)
        trickle(sock, b"x" * 10)
    with connected(impatient) as sock:
        sock.sendall(
            HEAD % key + b"Content-Type: application/octet-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        trickle(sock, b"1;" + b"e" * 50 + b"\r\nx\r\n")
    assert not list((impatient.settings.data / "blobs").rglob("*.part"))
    assert impatient.http.get("/api/device").status_code == 200


def test_a_body_that_comes_steadily_is_taken_however_long_it_takes(patient: Any) -> None:
    data = bytes(400_000)
    with connected(patient) as sock:
        sock.sendall(HEAD % patient.key.encode() + b"Connection: close\r\n" + BODY)
        began = time.monotonic()
        for at in range(0, len(data), 40_000):
            sock.sendall(data[at : at + 40_000])
            with contextlib.suppress(TimeoutError):
                sock.settimeout(LONGER_S / 6)
                sock.recv(1, socket.MSG_PEEK)
        sock.settimeout(20)
        assert time.monotonic() - began > LONGER_S * 1.5
        assert rest(sock).startswith(b"HTTP/1.1 201 ")


def test_a_client_that_reads_nothing_is_left_and_one_that_waits_for_its_answer_is_not(
    impatient: Any, wait_until: Any
) -> None:
    http = impatient.http
    tensor = http.post("/api/tensors?shape=4000000&dtype=f32", content=bytes(16_000_000),
                       headers={"Content-Type": "application/octet-stream"}).json()  # fmt: skip
    connections = impatient.server.server_state.connections
    with connected(impatient) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        head = f"GET /api/tensors/{tensor['id']}/data?format=raw HTTP/1.1\r\nHost: x\r\n"
        sock.sendall(head.encode() + b"Authorization: Bearer " + impatient.key.encode() + b"\r\n\r\n")
        assert sock.recv(1, socket.MSG_PEEK), "it is served"
        wait_until(lambda: len(connections) <= 1, "the server leaves it")
    script = f"import time\ntime.sleep({PATIENCE_S * 3})\nresult = 1"
    done = http.post("/api/runs", json={"script": script}, headers={"Prefer": "wait=20"}).json()
    assert done["status"] == "succeeded"
    assert done["usage"]["wall_ms"] > PATIENCE_S * 2500


def test_a_connection_too_many_is_closed_and_the_others_go_on(patient: Any, wait_until: Any) -> None:
    connections = patient.server.server_state.connections
    wait_until(lambda: len(connections) <= 1, "other tests' are gone")
    patient.http.get("/healthz")  # its own is open, and not so old that it would open another one
    with contextlib.ExitStack() as stack:
        socks = [stack.enter_context(connected(patient)) for _ in range(30)]
        assert patient.http.get("/healthz").status_code == 200
        answers = [rest(sock) for sock in socks]
    closed = [answer for answer in answers if not answer]
    assert len(closed) in (10, 11), "that client's own may be one of them"
    assert all(answer.startswith(b"HTTP/1.1 408 ") for answer in answers if answer)
    wait_until(lambda: len(connections) <= 1, "they are gone")


CHUNK = b"\r\n3\r\nabc\r\n0\r\n\r\n"
SMUGGLED = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize(
    ("head", "status", "code"),
    [
        (b"Transfer-Encoding: gzip, chunked\r\n" + CHUNK, 501, "coding_not_served"),
        (b"Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n" + CHUNK, 501, "coding_not_served"),
        (b"Transfer-Encoding: gzip\r\n" + CHUNK, 501, "coding_not_served"),
        (b"Transfer-Encoding: xchunked\r\n" + CHUNK, 501, "coding_not_served"),
        (b"Connection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 3\r\n\r\nabc", 501, "coding_not_served"),
        (b"Transfer-Encoding: chunked, chunked\r\n" + CHUNK, 400, "malformed_request"),
        (b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n" + CHUNK, 400, "malformed_request"),
        (b"Transfer-Encoding: chunked, gzip\r\n" + CHUNK, 400, "malformed_request"),
        (b"Transfer-Encoding:\r\n chunked\r\n" + CHUNK, 400, "malformed_request"),
        (b"Transfer-Encoding : chunked\r\n" + CHUNK, 400, "malformed_request"),
        (b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n" + CHUNK, 400, "malformed_request"),
        (b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n" + CHUNK, 400, "malformed_request"),
        (b"Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 400, "malformed_request"),
        (b"Content-Length: 3, 3\r\n\r\nabc", 400, "malformed_request"),
        (b"Content-Length: +3\r\n\r\nabc", 400, "malformed_request"),
        (b"X: a\r\n b\r\n\r\n", 400, "malformed_request"),
        (b"X: a\nY: b\r\n\r\n", 400, "malformed_request"),
        (b"X: a\rContent-Length: 3\r\n\r\nabc", 400, "malformed_request"),
        (b"Host: y\r\n\r\n", 400, "malformed_request"),
    ],
)
def test_a_request_whose_end_others_could_see_elsewhere_is_refused_with_all_behind_it(
    impatient: Any, head: bytes, status: int, code: str
) -> None:
    with connected(impatient) as sock:
        sock.sendall(b"POST /healthz HTTP/1.1\r\nHost: x\r\n" + head + SMUGGLED)
        answer = rest(sock)
    assert answer.startswith(b"HTTP/1.1 %d " % status)
    assert b'"code":"%s"' % code.encode() in answer
    assert answer.count(b"HTTP/1.1 ") == 1


def test_what_is_refused_behind_a_request_is_not_the_answer_to_that_one(impatient: Any) -> None:
    run = b'{"script": "import time\\ntime.sleep(1)"}'
    head = b"POST /api/runs HTTP/1.1\r\nHost: x\r\nPrefer: wait=20\r\nAuthorization: Bearer %s\r\n"
    with connected(impatient) as sock:
        sock.sendall(
            head % impatient.key.encode() + b"Content-Length: %d\r\n\r\n" % len(run) + run + b"\0\r\n\r\n"
        )
        assert rest(sock) == b""


def test_transfer_codings_of_http_1_0_are_refused(impatient: Any) -> None:
    with connected(impatient) as sock:
        sock.sendall(b"POST /healthz HTTP/1.0\r\nTransfer-Encoding: chunked\r\n" + CHUNK)
        assert rest(sock).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(("version", "status"), [(b"1.0", 200), (b"1.1", 400)])
def test_a_request_of_http_1_1_names_its_host(impatient: Any, version: bytes, status: int) -> None:
    with connected(impatient) as sock:
        sock.sendall(b"GET /healthz HTTP/%s\r\nConnection: close\r\n\r\n" % version)
        assert rest(sock).startswith(b"HTTP/1.1 %d " % status)


def test_a_request_that_offers_another_protocol_is_served_by_this_one_and_so_is_the_next(
    impatient: Any,
) -> None:
    get = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"
    with connected(impatient) as sock:
        for rest_of_it in (
            b"Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
            b"Transfer-Encoding: Chunked\r\n\r\n0\r\n\r\n",
        ):
            sock.sendall(get + rest_of_it)
            answer = HTTPResponse(sock)
            answer.begin()
            assert (answer.status, answer.read()[:10]) == (200, b'{"status":')


def test_a_connection_that_breaks_after_its_answer_leaves_nothing(impatient: Any, wait_until: Any) -> None:
    def kept() -> int:
        gc.collect()
        return sum(issubclass(type(each), Protocol) for each in gc.get_objects())  # asks no object anything

    before = kept()
    for _ in range(20):
        with connected(impatient) as sock:
            sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            assert sock.recv(64).startswith(b"HTTP/1.1 200")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # reset at once
    wait_until(lambda: kept() <= before, "the connections are gone")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate of this machine's own, and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("tls")
    cert, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
         "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert],
        check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    return cert, key


def test_with_a_certificate_https_alone_is_served(
    certificate: tuple[Path, Path], tmp_path: Path, wait_until: Any
) -> None:
    cert, key = certificate
    command = [
        "kernelgate",
        "serve",
        "--port",
        "0",
        "--adapter",
        "null",
        "--data",
        str(tmp_path),
        "--host",
        "0.0.0.0",
    ]
    command += ["--tls-cert", str(cert), "--tls-key", str(key)]
    with subprocess.Popen([sys.executable, "-m", *command], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            url = next(line.split()[1] for line in process.stdout if line.startswith("address"))
            assert url.startswith("https://0.0.0.0:")
            url = url.replace("0.0.0.0", "127.0.0.1")
            context = ssl.create_default_context(cafile=str(cert))
            with httpx2.Client(base_url=url, verify=context, timeout=30) as http:
                assert http.get("/healthz").status_code == 200
                assert http.get("/healthz", headers={"X": "x" * 70_000}).status_code == 431
            with pytest.raises(httpx2.TransportError):
                httpx2.get(url.replace("https", "http") + "/healthz", timeout=10)
            process.terminate()
            assert process.wait(30) == 0
        finally:
            process.kill()


def test_a_certificate_that_does_not_fit_its_key_is_named(
    certificate: tuple[Path, Path], tmp_path: Path
) -> None:
    cert, key = certificate
    for files in ((cert, None), (key, cert), (tmp_path / "none.pem", None)):
        with pytest.raises(CertificateUnusable, match=files[0].name):
            Server(Settings(data=tmp_path, tls_cert=files[0], tls_key=files[1]))
