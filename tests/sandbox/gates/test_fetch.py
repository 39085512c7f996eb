"""What a granted request does: it gets its answer, follows redirects, carries secrets, and is reported."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.gates.errors import FetchRefused, PermissionDenied
from sandbox.gates.fetch import Secret
from sandbox.gates.frames import Fetch
from sandbox.gates.grants import parse
from sandbox.gates.urls import parse as target_of

OPEN = {"fetch": [{"host": "*", "methods": ["GET", "HEAD", "POST", "PUT"]}]}
KEYED = {"fetch": [{"host": "public.test", "secret": "TOKEN"}, {"host": "other.test"}]}
SECRETS = {"TOKEN": Secret("Bearer s3cret")}


def test_a_response_comes_back_whole(internet: Any) -> None:
    response = internet.fetch("https://public.test/#part", OPEN).response
    assert (response.status, response.reason, response.body) == (200, "OK", b"ok")
    assert ("X-Thing", "1") in response.headers
    assert response.url == "https://public.test/"
    assert response.history == []


def test_a_status_of_an_error_is_no_error(internet: Any) -> None:
    result = internet.fetch("http://public.test/missing", OPEN)
    assert (result.response.status, result.response.body) == (404, b"none")


@pytest.mark.parametrize("path", ["/gzip", "/deflate", "/rawdeflate"])
def test_a_compressed_body_comes_back_plain(internet: Any, path: str) -> None:
    response = internet.fetch(f"http://public.test{path}", OPEN).response
    assert response.body == b"text" * 100
    assert not {"content-encoding", "content-length"} & {name.lower() for name, _ in response.headers}


def test_several_gzip_members_and_padding_are_one_body(internet: Any) -> None:
    assert internet.fetch("http://public.test/members", OPEN).response.body == b"onetwo"


def test_a_chunked_body_comes_back_joined(internet: Any) -> None:
    assert internet.fetch("http://public.test/chunked", OPEN).response.body == b"abcde"


def test_a_body_is_sent_with_its_length_and_the_scripts_headers(internet: Any) -> None:
    headers = [("Content-Type", "application/json"), ("User-Agent", "mine"), ("Authorization", "own")]
    internet.fetch("http://public.test/", OPEN, method="POST", body=b"{}", headers=headers)
    (seen,) = internet.seen
    assert (seen.method, seen.body) == ("POST", b"{}")
    assert seen.headers["content-type"] == "application/json"
    assert seen.headers["content-length"] == "2"
    assert seen.headers["user-agent"] == "mine"
    assert seen.headers["authorization"] == "own"


def test_a_post_without_a_body_says_so(internet: Any) -> None:
    internet.fetch("http://public.test/", OPEN, method="POST")
    assert internet.seen[0].headers["content-length"] == "0"


def test_head_gives_headers_only(internet: Any) -> None:
    response = internet.fetch("http://public.test/big", OPEN, method="HEAD").response
    assert (response.status, response.body) == (200, b"")


def test_a_relative_redirect_is_followed(internet: Any) -> None:
    response = internet.fetch("http://public.test/relative", OPEN).response
    assert response.url == "http://public.test/chunked"
    assert response.history == ["http://public.test/relative"]


def test_a_redirect_is_given_back_when_the_script_wants_it(internet: Any) -> None:
    result = internet.fetch("http://public.test/relative", OPEN, follow=False)
    assert result.response.status == 302
    assert ("Location", "chunked") in result.response.headers


def test_a_redirect_without_a_location_is_an_answer(internet: Any) -> None:
    assert internet.fetch("http://public.test/nolocation", OPEN).response.body == b"odd"


@pytest.mark.parametrize(
    ("path", "method", "then", "body"),
    [
        ("/302", "POST", "GET", b""),
        ("/303", "POST", "GET", b""),
        ("/303", "PUT", "GET", b""),
        ("/302", "PUT", "PUT", b"x"),
        ("/307", "POST", "POST", b"x"),
        ("/303", "HEAD", "HEAD", b""),
    ],
)
def test_a_redirect_changes_the_method_as_browsers_do(
    internet: Any, path: str, method: str, then: str, body: bytes
) -> None:
    sent = b"" if method == "HEAD" else b"x"
    internet.fetch(
        f"http://public.test{path}", OPEN, method=method, body=sent, headers=[("Content-Type", "a/b")]
    )
    assert [seen.method for seen in internet.seen] == [method, then]
    assert internet.seen[1].body == body
    assert ("content-type" in internet.seen[1].headers) == (then == method)


def test_a_redirect_to_another_host_loses_whatever_may_be_a_credential(internet: Any) -> None:
    headers = [("Authorization", "a"), ("Cookie", "b"), ("X-Api-Key", "c"), ("Accept", "d")]
    internet.fetch("http://public.test/away", OPEN, headers=headers)
    first, second = internet.seen
    assert {"authorization", "cookie", "x-api-key", "accept"} <= set(first.headers)
    assert {"authorization", "cookie", "x-api-key", "accept"} & set(second.headers) == {"accept"}


def test_a_secret_is_added_by_the_server_and_only_for_its_host(internet: Any) -> None:
    result = internet.fetch(
        "https://public.test/awaytls", KEYED, secrets=SECRETS, headers=[("authorization", "mine")]
    )
    first, second = internet.seen
    assert first.headers["authorization"] == "Bearer s3cret"
    assert "authorization" not in second.headers
    assert "s3cret" not in repr(result.events) + repr(result.response) + repr(SECRETS)


def test_a_secret_does_not_come_back_after_a_detour(internet: Any) -> None:
    grants = {"fetch": [{"host": "*", "secret": "TOKEN"}]}
    internet.fetch("https://public.test/detour", grants, secrets=SECRETS)
    assert ["authorization" in seen.headers for seen in internet.seen] == [True, False, False]


def test_a_secret_is_not_sent_in_the_clear(internet: Any) -> None:
    result = internet.fetch("http://public.test/", KEYED, secrets=SECRETS)
    assert result.outcome == "fetch_refused"
    assert not internet.seen


def test_a_downgrade_by_redirect_loses_the_secret(internet: Any) -> None:
    internet.fetch("https://public.test/downgrade", KEYED, secrets=SECRETS)
    assert ["authorization" in seen.headers for seen in internet.seen] == [True, False]


def test_a_secret_that_the_server_lacks_is_an_error(internet: Any) -> None:
    assert internet.fetch("https://public.test/", KEYED).outcome == "fetch_refused"


@pytest.mark.parametrize(
    "value", ["a\r\nX: bcdefgh", "", "sesame", " Bearer s3cret", "Bearer s3cret\t", "s3cr\u20acts"]
)
def test_what_no_header_can_carry_is_no_secret(value: str) -> None:
    with pytest.raises(FetchRefused) as caught:
        Secret(value)
    assert not value or value not in f"{caught.value.message} {caught.value.hint}"


def test_a_secret_goes_in_the_header_that_its_grant_names(internet: Any) -> None:
    grants = {"fetch": [{"host": "public.test", "secret": "TOKEN", "header": "X-Api-Key"}]}
    sent = [("x-api-KEY", "mine"), ("Authorization", "mine")]
    internet.fetch("https://public.test/", grants, secrets=SECRETS, headers=sent)
    (seen,) = internet.seen
    assert (seen.headers["x-api-key"], seen.headers["authorization"]) == ("Bearer s3cret", "mine")


@pytest.mark.parametrize(
    "path", ["/echo", "/echoheader", "/echoreason", "/echolocation", "/echobroken", "/echogzip"]
)
@pytest.mark.parametrize("value", ["Bearer s3cret-and-long", "s3cret-and-long"])
def test_a_response_that_says_the_secret_is_withheld(internet: Any, path: str, value: str) -> None:
    result = internet.fetch(f"https://public.test{path}", KEYED, secrets={"TOKEN": Secret(value)})
    assert result.outcome in ("fetch_refused", "fetch_failed")
    assert "s3cret-and-long" not in f"{result.error} {result.error.record()} {result.events}"


def test_an_address_without_a_scheme_is_answered_with_one() -> None:
    with pytest.raises(FetchRefused) as caught:
        target_of("api.example.org/items")
    assert caught.value.hint == "Write https://api.example.org/items."


def test_a_denial_names_the_grant_that_would_open_it(internet: Any) -> None:
    result = internet.fetch("http://public.test/", {"fetch": [{"host": "other.test"}]})
    error = result.error
    assert isinstance(error, PermissionDenied)
    assert (error.code, error.gate) == ("permission_denied", "fetch")
    assert "GET http://public.test" in error.message
    assert internet.fetch("http://public.test/", error.grant).outcome == "ok"


@pytest.mark.parametrize(
    "grant",
    [
        {"host": "public.test", "methods": ["POST"]},
        {"host": "public.test", "ports": [443]},
        {"host": ".public.test"},
    ],
)
def test_method_port_and_host_must_all_be_granted(internet: Any, grant: dict[str, object]) -> None:
    assert internet.fetch("http://public.test/", {"fetch": [grant]}).outcome == "permission_denied"
    assert internet.connections == 0


def test_every_request_is_reported_redirects_included(internet: Any) -> None:
    result = internet.fetch("http://public.test/303", OPEN, method="POST", body=b"abc")
    rows = [(e.method, e.url, e.status, e.sent_bytes, e.received_bytes, e.denied) for e in result.events]
    assert rows == [
        ("POST", "http://public.test/303", 303, 3, 0, None),
        ("GET", "http://public.test/", 200, 0, 2, None),
    ]
    assert all(event.ms > 0 for event in result.events)


def test_a_connection_is_used_again_and_cookies_are_not_kept(internet: Any) -> None:
    async def scenario() -> None:
        gate = internet.gate(parse(OPEN))
        for number in range(3):
            await gate.fetch(Fetch(number, "GET", "http://public.test/"))
        await gate.close()

    internet.run(scenario)
    assert internet.connections == 1
    assert not any("cookie" in seen.headers for seen in internet.seen)


def test_the_environment_has_no_say(internet: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.setenv("SSLKEYLOGFILE", "/nonexistent/keys")
    assert internet.fetch("http://public.test/", OPEN).outcome == "ok"
    assert internet.leaks == 0
