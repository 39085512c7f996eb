"""`fetch`, `requests` and `httpx` in scripts, against a website on loopback, and against a real client."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from sandbox.gates.fetch import FetchLimits
from sandbox.pool import PoolSettings
from tests.sandbox.support import LIMITS, Sandbox, Services
from tests.sandbox.website import Website, website

METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
ALL = {"fetch": [{"host": "site.test", "methods": METHODS}]}


@pytest.fixture(scope="module")
def site() -> Iterator[Website]:
    with website() as running:
        yield running


@pytest.fixture
def script(sandbox: Sandbox, site: Website) -> Any:
    """Runs a script whose gate of HTTP leads to the website; its outcome."""

    def run(source: str, grants: Any = ALL) -> Any:
        site.seen.clear()
        services = Services(grants, **site.network._asdict())
        return sandbox.run_with(services, source, LIMITS)

    return run


@pytest.fixture
def result(script: Any) -> Any:
    """The result of a script that must succeed."""

    def run(source: str, grants: Any = ALL) -> Any:
        outcome = script(source, grants)
        assert outcome.error is None, outcome.error
        return outcome.result

    return run


def test_a_response_has_what_a_response_of_requests_has(result: Any) -> None:
    script = """
import requests
r = requests.get("http://site.test/list")
result = [
    r.status_code, r.ok, r.reason, r.url, r.headers["CONTENT-TYPE"], r.headers.get("x"), r.json(), r.text, r.content,
    r.encoding, r.history, bool(r), r.elapsed.total_seconds() > 0, r.is_redirect, repr(r), "date" in r.headers,
]
"""
    assert result(script) == [
        200, True, "OK", "http://site.test/list", "application/json", None, [1, 2.5, None], "[1, 2.5, null]",
        b"[1, 2.5, null]", None, [], True, True, False, "<Response [200]>", True,
    ]  # fmt: skip


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("get", {}),
    ("get", {"params": {"a": "1 2", "b": ["x", "y"], "ü": "&="}}),
    ("get", {"headers": {"X-Thing": "1", "Accept": "text/plain"}}),
    ("post", {"json": {"a": [1, None, "ü"]}}),
    ("post", {"data": {"a": "1 2", "b": "ü"}}),
    ("post", {"json": None}),
    ("put", {"json": [1]}),
    ("patch", {"json": {}}),
    ("delete", {}),
    ("options", {}),
]


@pytest.mark.parametrize("module", ["requests", "httpx"])
@pytest.mark.parametrize(("method", "options"), CALLS)
def test_a_request_is_what_a_real_client_sends(
    module: str, method: str, options: Any, result: Any, site: Website
) -> None:
    ours = result(
        f"import {module}\nresult = {module}.{method}('http://site.test/echo', **{options!r}).json()"
    )
    real = httpx2.request(
        method, f"http://127.0.0.1:{site.port}/echo", trust_env=False, timeout=60, **options
    ).json()
    assert comparable(ours) == comparable(real)


def comparable(request: dict[str, Any]) -> Any:
    """What both clients must agree on."""
    kind = request["headers"].get("content-type")
    body = request["body"].encode("latin-1").decode()
    if kind == "application/json":
        body = json.loads(body)
    elif kind:
        body = parse_qs(body)
    url = urlsplit(request["path"])
    wanted = {name: request["headers"].get(name) for name in ("x-thing", "content-type")}
    return request["method"], url.path, parse_qs(url.query), wanted, body


def test_bodies_of_every_kind_are_sent(result: Any) -> None:
    script = r"""
import io

def body(data):
    echo = fetch("http://site.test/echo", "POST", data=data).json()
    return [echo["body"], echo["headers"].get("content-type")]

kinds = ["text", b"\x00\xff", bytearray(b"x"), io.BytesIO(b"file"), [("a", 1), ("a", 2)], ""]
result = [body(data) for data in kinds]
"""
    form = "application/x-www-form-urlencoded"
    assert result(script) == [
        ["text", None], ["\x00\xff", None], ["x", None], ["file", None], ["a=1&a=2", form], ["", None],
    ]  # fmt: skip


def test_sessions_and_clients_keep_headers_parameters_and_credentials(result: Any) -> None:
    script = """
import requests, httpx

with requests.Session() as s:
    s.headers.update({"X-A": "1"})
    s.headers["x-b"] = "2"
    s.auth = ("me", "pass")
    s.params = {"p": 1}
    a = s.get("http://site.test/echo?o=0", headers={"X-B": "3", "x-a": None}, params={"q": 2}).json()
common = {"headers": {"X-A": "1"}, "params": {"p": 1}, "auth": ("me", "pass")}
with httpx.Client(base_url="http://site.test/", **common) as c:
    b = c.post("/echo", json=1, headers={"X-B": "3"}).json()
names = ("x-a", "x-b", "authorization")
result = [[e["method"], e["path"], *(e["headers"].get(name) for name in names)] for e in (a, b)]
"""
    assert result(script) == [
        ["GET", "/echo?o=0&p=1&q=2", None, "3", "Basic bWU6cGFzcw=="],
        ["POST", "/echo?p=1", "1", "3", "Basic bWU6cGFzcw=="],
    ]


def test_redirects_are_followed_as_each_module_does(result: Any) -> None:
    script = """
import requests, httpx

m = "http://site.test/moved"
answers = [requests.get(m), requests.get(m, allow_redirects=False), httpx.get(m), httpx.get(m, follow_redirects=True)]
result = [[r.status_code, r.url, [h.url for h in r.history], r.is_redirect] for r in answers]
result.append(requests.head(m).status_code)
"""
    there, here = "http://site.test/echo?moved=1", "http://site.test/moved"
    followed, stayed = [200, there, [here], False], [302, here, [], True]
    assert result(script) == [followed, stayed, stayed, followed, 302]


def test_text_is_decoded_by_what_the_response_says(result: Any) -> None:
    script = """
latin, utf8, odd, wrong = [fetch("http://site.test" + p) for p in ("/latin", "/utf8", "/odd", "/utf8")]
wrong.encoding = "latin-1"
texts = [latin.text, utf8.text, odd.text, wrong.text]
pieces = list(fetch("http://site.test/big").iter_bytes(100_000))
result = [texts, list(utf8.iter_lines()), list(utf8.iter_lines(True)), list(utf8.iter_text(2)), len(pieces)]
"""
    assert result(script) == [
        ["é", "é\nline", "\ufffd", "Ã©\nline"],
        ["é".encode(), b"line"],
        ["é", "line"],
        ["é\n", "li", "ne"],
        3,
    ]


def test_bad_statuses_are_raised_when_asked(result: Any) -> None:
    script = """
import requests, httpx

result = []
for page in ("missing", "broken", "empty"):
    r = requests.get("http://site.test/" + page)
    try:
        r.raise_for_status()
        result.append([r.status_code, bool(r), r.content])
    except requests.exceptions.HTTPError as e:
        result.append([str(e), e.response.status_code, r.ok, isinstance(e, httpx.HTTPStatusError)])
result.append(requests.codes.not_found)
"""
    assert result(script) == [
        ["404 Client Error: Not Found for url: http://site.test/missing", 404, False, True],
        ["500 Server Error: Internal Server Error for url: http://site.test/broken", 500, False, True],
        [204, True, b""],
        404,
    ]


@pytest.mark.parametrize(
    ("call", "kinds", "code"),
    [
        ("requests.get('http://none.test/')", "ConnectionError RequestException", "fetch_failed"),
        ("requests.get('http://inner.test/')", "InvalidURL RequestException", "fetch_refused"),
        ("requests.get('ftp://site.test/')", "InvalidURL RequestException", "fetch_refused"),
        ("requests.get('http://site.test/inward')", "InvalidURL", "fetch_refused"),
        ("requests.get('http://site.test/', headers={'Host': 'x'})", "InvalidURL", "fetch_refused"),
        ("requests.get('http://site.test/loop')", "TooManyRedirects RequestException", "fetch_limit"),
        ("requests.get('http://site.test/silent', timeout=0.05)", "ReadTimeout Timeout", "fetch_timeout"),
        ("requests.get('http://site.test/silent', timeout=(0.02, 0.03))", "Timeout", "fetch_timeout"),
        ("requests.get('http://site.test/notjson').json()", "JSONDecodeError", "script_error"),
    ],
)
def test_failures_are_exceptions_of_requests_and_keep_their_code(
    call: str, kinds: str, code: str, script: Any
) -> None:
    grants = {"fetch": [{"host": name} for name in ("site.test", "none.test", "inner.test")]}
    caught = f"""
import requests
try:
    {call}
except Exception as e:
    kinds = [getattr(requests.exceptions, name) for name in {kinds.split()!r}]
    result = [isinstance(e, kind) for kind in [*kinds, OSError]]
"""
    outcome = script(caught, grants)
    assert outcome.error is None, outcome.error
    assert all(outcome.result)
    assert script(f"import requests\n{call}", grants).error.code == code


def test_what_was_not_granted_is_denied_with_the_grant_that_would_do(result: Any, site: Website) -> None:
    script = """
import requests, httpx

def denied(call):
    try:
        call()
    except PermissionDenied as e:
        return [e.gate, e.asked, e.grant["fetch"][0], isinstance(e, requests.RequestException)]

result = [
    denied(lambda: requests.post("https://site.test:8443/x")),
    denied(lambda: httpx.get("http://other.test/")),
    denied(lambda: fetch("http://site.test/away")),
]
"""
    posted = {"host": "site.test", "methods": ["POST"], "ports": [8443]}
    other = {"host": "other.test", "methods": ["GET"], "ports": [80]}
    assert result(script, {"fetch": [{"host": "site.test"}]}) == [
        ["fetch", "POST https://site.test:8443", posted, False],
        ["fetch", "GET http://other.test", other, False],
        ["fetch", "GET http://other.test", other, False],
    ]
    assert [request["path"] for request in site.seen] == ["/away"]


def test_verification_can_not_be_switched_off(script: Any) -> None:
    outcome = script("import requests\nrequests.get('https://site.test/', verify=False)")
    assert "always verified" in outcome.error.message


def test_headers_are_a_mapping_without_case(script: Any, result: Any) -> None:
    source = """
import requests

h = requests.Session().headers
h["Accept"] = "a"
h["ACCEPT"] = "b"
h["X"] = 1
result = [dict(h), "accept" in h, 5 in h, h == {"accept": "b", "x": "1"}, len(h), h.pop("x"), h.get("none")]
result += [list(h.copy().items()), h != {}]
"""
    assert result(source) == [
        {"ACCEPT": "b", "X": "1"}, True, False, True, 2, "1", None, [["ACCEPT", "b"]], True,
    ]  # fmt: skip
    assert "KeyError" in script("import requests\nrequests.Session().headers['none']").error.message


def test_the_largest_request_fits_a_message() -> None:
    limits = FetchLimits()
    assert limits.request_bytes + limits.header_bytes < PoolSettings().max_frame


def test_call_runs_operations_by_their_full_names(sandbox: Sandbox) -> None:
    source = """
import torch

x = torch.tensor([[1.0, 2.0]])
words, offsets = torch.tensor([0x636261], dtype=torch.uint32), torch.tensor([0, 3], dtype=torch.uint32)
result = [
    call("tensor.matmul", x, [[3.0], [4.0]]).tolist(),
    call("tensor.sum", x, axes=1).tolist(),
    call("tensor.multiply", x, 2).tolist(),
    call("hash.sha256", words, offsets).tolist()[0][0],
    call("kernel.k", y=kernels.output(2)).tolist(),
]
"""
    assert sandbox.result(source) == [[[11.0]], [3.0], [[2.0, 4.0]], 0xBA7816BF, [0.0, 0.0]]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("call('matmul', 1, 2)", "in no namespace"),
        ("call('own.mine')", "in no namespace"),
        ("call('mine')", "a stored script is script.NAME"),
        ("call('hash.add', 1, 2)", "tensor.add is called so"),
        ("call('tensor.ad', 1, 2)", "there is no op 'ad'"),
        ("call('kernel.k', 1)", "by the names of its bindings"),
        ("call('tensor.add', 1)", "add takes 2 inputs"),
    ],
)
def test_call_refuses_what_is_no_operation(call: str, says: str, sandbox: Sandbox) -> None:
    assert says in sandbox.error(call).message
