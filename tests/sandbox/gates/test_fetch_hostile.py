"""Hostile requests and hostile servers: each row ends as it says, and nothing internal is ever connected to."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sandbox.gates.errors import FetchRefused, GrantError
from sandbox.gates.fetch import FetchLimits
from sandbox.gates.frames import Fetch
from sandbox.gates.grants import parse

ANY_HOST = {"fetch": [{"host": "*", "methods": ["GET", "POST"]}]}
LISTED = {"fetch": [{"host": "public.test"}, {"host": ".ok.test"}]}
LIMITS = FetchLimits(seconds=60, response_bytes=1 << 20)
REFUSED, DENIED, FAILED, LIMIT = "fetch_refused", "permission_denied", "fetch_failed", "fetch_limit"

# url, outcome with every host name granted
URLS = [
    ("http://public.test/", "ok"),
    ("https://public.test/", "ok"),
    ("HTTP://PUBLIC.TEST./", "ok"),
    ("http://six.test/", "ok"),
    ("http://dead.test/", "ok"),
    ("http://b\u00fccher.test/", "ok"),
    ("http://none.test/", FAILED),
    # names that lead inside
    ("http://private.test/", REFUSED),
    ("http://localhost/", REFUSED),
    ("http://localhost./", REFUSED),
    ("http://ten.test/", REFUSED),
    ("http://meta.test/latest/meta-data/", REFUSED),
    ("http://cgnat.test/", REFUSED),
    ("http://mixed.test/", REFUSED),
    ("http://v6loop.test/", REFUSED),
    ("http://mapped.test/", REFUSED),
    ("http://mappedpublic.test/", REFUSED),
    ("http://compatible.test/", REFUSED),
    ("http://nat64.test/", REFUSED),
    ("http://nat64local.test/", REFUSED),
    ("http://sixto4.test/", REFUSED),
    ("http://teredo.test/", REFUSED),
    ("http://sitelocal.test/", REFUSED),
    ("http://linklocal6.test/", REFUSED),
    ("http://zero.test/", REFUSED),
    ("http://zeronet.test/", REFUSED),
    ("http://unspecified.test/", REFUSED),
    ("http://bcast.test/", REFUSED),
    ("http://multicast.test/", REFUSED),
    ("http://ula.test/", REFUSED),
    ("http://awsmeta6.test/", REFUSED),
    ("http://azure.test/", REFUSED),
    ("http://oracle.test/", REFUSED),
    ("http://alibaba.test/", REFUSED),
    ("http://bench.test/", REFUSED),
    ("http://ietf.test/", REFUSED),
    ("http://docs.test/", REFUSED),
    ("http://docs6.test/", REFUSED),
    ("http://unassigned6.test/", REFUSED),
    ("http://junk.test/", REFUSED),
    ("http://private\u3002test/", REFUSED),
    ("http://private\uff0etest/", REFUSED),
    # spellings of addresses
    ("http://93.184.216.34/", DENIED),
    ("http://127.0.0.1/", REFUSED),
    ("http://2130706433/", REFUSED),
    ("http://0x7f000001/", REFUSED),
    ("http://0x7f.1/", REFUSED),
    ("http://0177.0.0.1/", REFUSED),
    ("http://127.1/", REFUSED),
    ("http://127.0.0.1./", REFUSED),
    ("http://0/", REFUSED),
    ("http://0x/", REFUSED),
    ("http://127.0.0.0x1/", REFUSED),
    ("http://127.0.0.256/", REFUSED),
    ("http://169.254.169.254/", REFUSED),
    ("http://[::1]/", REFUSED),
    ("http://[::]/", REFUSED),
    ("http://[::ffff:127.0.0.1]/", REFUSED),
    ("http://[0:0:0:0:0:ffff:7f00:1]/", REFUSED),
    ("http://[64:ff9b::7f00:1]/", REFUSED),
    ("http://[fe80::1%25lo]/", REFUSED),
    ("http://[fe80::1%lo]/", REFUSED),
    ("http://[::1/", REFUSED),
    ("http://::1/", REFUSED),
    ("http://[v1.x]/", REFUSED),
    ("http://\u2460\u2461\u2466.0.0.1/", REFUSED),
    ("http://\uff11\uff12\uff17.0.0.1/", REFUSED),
    ("http://127\u30020\u30020\u30021/", REFUSED),
    # tricks of the URL itself
    ("http://public.test@127.0.0.1/", REFUSED),
    ("http://public.test:x@private.test/", REFUSED),
    ("http://public.test%40127.0.0.1/", REFUSED),
    ("http://127.0.0.1#@public.test/", REFUSED),
    ("http://127.0.0.1?@public.test/", REFUSED),
    ("http://127.0.0.1\\@public.test/", REFUSED),
    ("http://public.test\\@127.0.0.1/", REFUSED),
    ("http://public.test\\.private.test/", REFUSED),
    ("http://public.test%2eprivate.test/", REFUSED),
    ("http://public.test%00.private.test/", REFUSED),
    ("http://private.test\t/", REFUSED),
    ("http://public.test/\r\nHost: private.test\r\n\r\n", REFUSED),
    ("http://public.test\r\n.private.test/", REFUSED),
    ("http:///private.test/", REFUSED),
    ("http:private.test/", REFUSED),
    ("//public.test/", REFUSED),
    ("/etc/passwd", REFUSED),
    ("", REFUSED),
    ("http://", REFUSED),
    ("http:// /", REFUSED),
    ("http://*/", REFUSED),
    ("http://.public.test/", REFUSED),
    ("http://public..test/", REFUSED),
    ("http://-public.test/", REFUSED),
    ("http://" + "a" * 64 + ".test/", REFUSED),
    ("http://" + "a." * 200 + "test/", REFUSED),
    ("http://" + "\u00e9" * 3000 + "/", REFUSED),
    ("http://public.test/" + "a" * 9000, REFUSED),
    ("http://\ud800.test/", REFUSED),
    ("http://[::1]@public.test/", REFUSED),
    ("http://public.test[::1]/", REFUSED),
    ("http://[public.test]/", REFUSED),
    ("http://public.test]/", REFUSED),
    ("http://public.test:80@private.test/", REFUSED),
    ("http://private.test:80#@public.test/", REFUSED),
    ("http://@private.test/", REFUSED),
    ("http://:@private.test/", REFUSED),
    ("http://public.test\uff0f@private.test/", REFUSED),
    ("http://public.test\uff20private.test/", REFUSED),
    ("http://public.test;private.test/", REFUSED),
    ("http://public.test|private.test/", REFUSED),
    ("http:/\\private.test/", REFUSED),
    ("http:\\\\private.test\\", REFUSED),
    ("https:private.test", REFUSED),
    ("HTTP:////private.test/", REFUSED),
    ("http://\u24dfrivate.test/", REFUSED),
    ("http://priva\u00adte.test/", REFUSED),
    ("http://private.test\u200b/", REFUSED),
    ("http://\u202eprivate.test/", REFUSED),
    ("http://private\uff61test/", REFUSED),
    ("http://localhost%00.public.test/", REFUSED),
    ("http://0x7f.0x0.0x0.0x1/", REFUSED),
    ("http://017700000001/", REFUSED),
    ("http://00000127.0.0.1/", REFUSED),
    ("http://127\u30021/", REFUSED),
    ("http://4294967295/", REFUSED),
    ("http://[0000:0000:0000:0000:0000:0000:0000:0001]/", REFUSED),
    ("http://[::ffff:0:127.0.0.1]/", REFUSED),
    ("http://[2002:7f00:1::]/", REFUSED),
    # ports
    ("http://private.test:+80/", REFUSED),
    ("http://private.test:080/", REFUSED),
    ("http://private.test:\uff18\uff10/", REFUSED),
    ("http://public.test:22/", DENIED),
    ("http://public.test:6379/", DENIED),
    ("http://public.test:0/", REFUSED),
    ("http://public.test:65536/", REFUSED),
    ("http://public.test:-80/", REFUSED),
    ("http://public.test:80x/", REFUSED),
    ("http://public.test:\u0668\u0660/", "ok"),
    ("http://public.test:80:80/", REFUSED),
    # schemes
    ("file:///etc/passwd", REFUSED),
    ("file://public.test/etc/passwd", REFUSED),
    ("ftp://public.test/", REFUSED),
    ("gopher://private.test:6379/_INFO", REFUSED),
    ("dict://private.test:11211/stats", REFUSED),
    ("ldap://private.test/", REFUSED),
    ("ws://public.test/", REFUSED),
    ("data:text/plain,hi", REFUSED),
    ("javascript:alert(1)", REFUSED),
    ("jar:http://public.test!/", REFUSED),
    ("unix:/var/run/docker.sock", REFUSED),
    ("http+unix://%2Fvar%2Frun%2Fdocker.sock/", REFUSED),
    ("view-source:http://private.test/", REFUSED),
    # redirects
    ("http://public.test/to/http://public.test/", "ok"),
    ("http://public.test/to///public.test/", "ok"),
    ("http://public.test/to/http://127.0.0.1/", REFUSED),
    ("http://public.test/to/http://private.test/", REFUSED),
    ("http://public.test/to/https://meta.test/", REFUSED),
    ("http://public.test/to///private.test/", REFUSED),
    ("http://public.test/to/http://[::1]/", REFUSED),
    ("http://public.test/to/http://2130706433/", REFUSED),
    ("http://public.test/to/file:///etc/passwd", REFUSED),
    ("http://public.test/to/gopher://private.test/", REFUSED),
    ("http://public.test/to/http://public.test:22/", DENIED),
    ("http://public.test/to/http://user:pass@public.test/", REFUSED),
    ("http://public.test/to/http://public.test/to/http://private.test/", REFUSED),
    ("http://public.test/to/http://public.test:80@private.test/", REFUSED),
    ("http://public.test/to/http://0x7f.1/", REFUSED),
    ("http://public.test/to/http://[::ffff:7f00:1]/", REFUSED),
    ("http://public.test/to/http://private.test#.public.test", REFUSED),
    ("http://public.test/to/http:\\\\private.test/", LIMIT),
    ("http://public.test/to/\\\\private.test/", LIMIT),
    ("http://public.test/to/%2f%2fprivate.test/", LIMIT),
    ("http://public.test/twolocations", "ok"),
    ("http://public.test/loop", LIMIT),
    ("http://public.test/pingpong", LIMIT),
]


def shown(url: str) -> str:
    return ascii(url)[:60]


@pytest.mark.parametrize(("url", "outcome"), URLS, ids=[shown(url) for url, _ in URLS])
def test_a_hostile_url_reaches_nothing_that_is_not_public(internet: Any, url: str, outcome: str) -> None:
    result = internet.fetch(url, ANY_HOST, limits=LIMITS)
    assert (result.leaks, result.outcome) == (0, outcome)
    assert result.events
    assert all(event.url.isprintable() and "pass@" not in event.url for event in result.events)
    assert (result.events[-1].denied is None) == (outcome == "ok" or outcome == LIMIT)


@pytest.mark.parametrize(
    ("url", "outcome"),
    [
        ("http://public.test/", "ok"),
        ("http://a.ok.test/", "ok"),
        ("http://ok.test/", DENIED),
        ("http://notok.test/", DENIED),
        ("http://other.test/", DENIED),
        ("http://sub.public.test/", DENIED),
        ("http://public.test.evil.test/", DENIED),
        ("http://private.test/", DENIED),
        ("http://public.test/away", DENIED),
        ("http://public.test/to/http://private.test/", DENIED),
    ],
)
def test_a_host_outside_the_list_is_not_even_looked_up(internet: Any, url: str, outcome: str) -> None:
    result = internet.fetch(url, LISTED, limits=LIMITS)
    assert (result.leaks, result.outcome) == (0, outcome)
    assert set(internet.lookups) <= {"public.test", "a.ok.test"}


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "10.0.0.1", "::1", "169.254.169.254", "fd00::1", "2130706433"]
)
def test_no_grant_names_an_address_that_is_not_public(address: str) -> None:
    with pytest.raises(GrantError):
        parse({"fetch": [{"host": address}]})


@pytest.mark.parametrize(
    ("path", "outcome"),
    [
        ("/bomb", LIMIT),
        ("/bombinbomb", FAILED),
        ("/cutgzip", FAILED),
        ("/notgzip", FAILED),
        ("/brotli", FAILED),
        ("/big", LIMIT),
        ("/claims", FAILED),
        ("/hugeheader", LIMIT),
        ("/largeheader", LIMIT),
        ("/manyheaders", LIMIT),
        ("/hundreds", LIMIT),
        ("/switch", FAILED),
        ("/http09", FAILED),
        ("/garbage", FAILED),
        ("/status", FAILED),
        ("/badchunk", FAILED),
        ("/hugechunk", FAILED),
        ("/negativechunk", FAILED),
        ("/crumbs", LIMIT),
        ("/twolengths", FAILED),
        ("/negativelength", FAILED),
        ("/cut", FAILED),
        ("/nothing", FAILED),
        ("/trailers", FAILED),
        ("/chunkext", FAILED),
        ("/emptyblocks", FAILED),
        ("/nolength", LIMIT),
        ("/nulheader", FAILED),
        ("/dictionary", FAILED),
    ],
)
def test_a_hostile_answer_is_an_error_within_the_caps(internet: Any, path: str, outcome: str) -> None:
    result = internet.fetch(f"http://public.test{path}", LISTED, limits=LIMITS)
    assert result.outcome == outcome
    assert result.events[-1].denied == outcome
    assert result.events[-1].received_bytes <= LIMITS.response_bytes + (64 << 10)


@pytest.mark.parametrize("path", ["/stall", "/drip", "/silent"])
def test_a_slow_answer_ends_at_the_deadline(internet: Any, path: str) -> None:
    result = internet.fetch(f"http://public.test{path}", LISTED, limits=FetchLimits(seconds=0.3))
    assert result.outcome == "fetch_timeout"
    assert 250 < result.events[0].ms < 9000, "the answer itself takes 10 s"
    assert result.events[0].denied == "fetch_timeout"


@pytest.mark.parametrize("timeout", [0.0, -1.0, 0.1])
def test_a_script_can_shorten_the_deadline(internet: Any, timeout: float) -> None:
    result = internet.fetch("http://public.test/stall", LISTED, timeout_s=timeout)
    assert result.outcome == "fetch_timeout"


@pytest.mark.parametrize("timeout", [1e300, float("inf"), float("nan")])
def test_a_script_can_not_lengthen_the_deadline(internet: Any, timeout: float) -> None:
    result = internet.fetch(
        "http://public.test/stall", LISTED, limits=FetchLimits(seconds=0.2), timeout_s=timeout
    )
    assert result.outcome == "fetch_timeout"


@pytest.mark.parametrize(
    ("name", "value", "outcome"),
    [
        ("X-A", "b\r\nX-Evil: 1", REFUSED),
        ("X-A", "b\nc", REFUSED),
        ("X-A", "b\0c", REFUSED),
        ("X-A", "\u2028", REFUSED),
        ("X-A: b\r\nX", "c", REFUSED),
        ("X A", "b", REFUSED),
        ("", "b", REFUSED),
        (":authority", "private.test", REFUSED),
        ("X" * 200, "b", REFUSED),
        ("Host", "private.test", REFUSED),
        ("hOsT", "private.test", REFUSED),
        ("Transfer-Encoding", "chunked", REFUSED),
        ("Upgrade", "websocket", REFUSED),
        ("TE", "trailers", REFUSED),
        ("Trailer", "X", REFUSED),
        ("Expect", "100-continue", REFUSED),
        ("Proxy-Authorization", "x", REFUSED),
        ("Proxy-Connection", "keep-alive", REFUSED),
        ("X-A", "b" * 70_000, LIMIT),
        ("Content-Length", "999", "ok"),
        ("Connection", "X-A", "ok"),
        ("Accept-Encoding", "br", "ok"),
        ("Cookie", "a=b", "ok"),
        ("X-A", "caf\u00e9", "ok"),
    ],
)
def test_headers_can_not_break_out_of_their_lines(internet: Any, name: str, value: str, outcome: str) -> None:
    result = internet.fetch("http://public.test/", LISTED, headers=[(name, value)])
    assert result.outcome == outcome
    if outcome == "ok":
        assert result.seen[0].headers["host"] == "public.test"
        assert result.seen[0].headers["accept-encoding"] == "gzip, deflate"
        assert "content-length" not in result.seen[0].headers
        assert "connection" not in result.seen[0].headers


@pytest.mark.parametrize(
    "method", ["CONNECT", "TRACE", "get", "GET / HTTP/1.1\r\nX: y\r\n\r\nGET", "", "X" * 1000]
)
def test_an_odd_method_is_refused(internet: Any, method: str) -> None:
    assert internet.fetch("http://public.test/", ANY_HOST, method=method).outcome == REFUSED
    assert not internet.seen


def test_a_large_request_body_is_not_sent(internet: Any) -> None:
    result = internet.fetch(
        "http://public.test/", ANY_HOST, limits=FetchLimits(request_bytes=10), method="POST", body=b"x" * 11
    )
    assert result.outcome == LIMIT
    assert not result.seen


def test_a_name_that_changes_its_address_after_the_check_is_checked_again(internet: Any) -> None:
    async def scenario() -> None:
        gate = internet.gate(parse(ANY_HOST))
        assert (await gate.fetch(Fetch(1, "GET", "http://rebind.test/chunked"))).body == b"abcde"
        with pytest.raises(FetchRefused, match="not public"):
            await gate.fetch(Fetch(2, "GET", "http://rebind.test/"))
        await gate.close()

    internet.run(scenario)
    assert internet.leaks == 0
    assert internet.lookups["rebind.test"] == 2


def test_requests_at_once_and_in_all_are_bounded(internet: Any) -> None:
    async def scenario() -> list[object]:
        gate = internet.gate(parse(ANY_HOST), limits=FetchLimits(concurrent=2, requests=6))
        requests = [gate.fetch(Fetch(n, "GET", "http://public.test/wait")) for n in range(8)]
        results = await asyncio.gather(*requests, return_exceptions=True)
        await gate.close()
        return [getattr(result, "code", "ok") for result in results]

    assert internet.run(scenario) == ["ok"] * 6 + [LIMIT] * 2
    assert internet.most_active == 2


def test_a_cancelled_request_closes_its_connection_and_is_reported(internet: Any) -> None:
    events: list[Any] = []

    async def scenario() -> None:
        gate = internet.gate(parse(ANY_HOST), on_event=events.append)
        task = asyncio.create_task(gate.fetch(Fetch(1, "GET", "http://public.test/silent")))
        async with asyncio.timeout(60):
            while not internet.seen:
                await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await gate.close()

    internet.run(scenario)
    assert len(events) == 1


def test_without_the_check_of_addresses_these_tests_see_the_leak(
    internet: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.gates.network.special", lambda address: None)
    monkeypatch.setattr("sandbox.gates.network.is_own", lambda address: False)
    result = internet.fetch("http://private.test/", ANY_HOST)
    assert result.leaks > 0
    assert result.response is not None
    assert result.response.body == b"SECRET"


def test_a_public_address_of_this_machine_is_refused(internet: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.gates.network.is_own", lambda address: True)
    result = internet.fetch("http://public.test/", ANY_HOST)
    assert result.outcome == REFUSED
    assert internet.connections == 0
