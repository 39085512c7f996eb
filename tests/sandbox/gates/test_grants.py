"""A run gets what it asked for and its key allows, and a denial says what would have opened the gate."""

from __future__ import annotations

import json
from itertools import product

import pytest

from sandbox.gates import environment
from sandbox.gates.errors import GrantError, PermissionDenied
from sandbox.gates.grants import Grants, intersect, parse, to_json
from sandbox.gates.patterns import covers_host, covers_name, is_name_pattern, meet_hosts, meet_names
from shaders.errors import KernelgateError

FULL = {
    "fetch": [{"host": ".example.org", "methods": ["GET", "POST"], "ports": [443], "secret": "KEY"}],
    "files": [{"path": "/in", "folder": "/data/in", "mode": "rw", "quota_bytes": 10, "quota_files": 2}],
    "env": {"A": "1", "B": None},
    "ops": ["tensor.*"],
    "kernels": ["*", "alice/*"],
    "tensors": ["**"],
}


def test_grants_survive_their_json_form() -> None:
    grants = parse(FULL)
    assert parse(json.loads(json.dumps(to_json(grants)))) == grants


def test_no_grants_open_nothing_but_our_own_ops_and_ones_own_kernels() -> None:
    grants = parse({})
    assert (grants.fetch, grants.files, grants.env, grants.tensors) == ((), (), {}, ())
    grants.require("ops", "tensor.matmul")
    grants.require("kernels", "mine")
    with pytest.raises(PermissionDenied):
        grants.require("kernels", "alice/hers")


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (None, "object"),
        ([], "object"),
        ({"network": []}, "network"),
        ({"fetch": {}}, "fetch"),
        ({"fetch": [{}]}, "host"),
        ({"fetch": [{"host": "a", "method": "GET"}]}, "method"),
        ({"fetch": [{"host": "a", "methods": ["CONNECT"]}]}, "methods"),
        ({"fetch": [{"host": "a", "methods": ["get"]}]}, "methods"),
        ({"fetch": [{"host": "a", "ports": [0]}]}, "ports"),
        ({"fetch": [{"host": "a", "ports": [65536]}]}, "ports"),
        ({"fetch": [{"host": "a", "ports": ["443"]}]}, "ports"),
        ({"fetch": [{"host": "Example.org"}]}, "lower-case"),
        ({"fetch": [{"host": "*.example.org"}]}, "host name"),
        ({"fetch": [{"host": "http://example.org"}]}, "host name"),
        ({"fetch": [{"host": "example.org:443"}]}, "host name"),
        ({"fetch": [{"host": ""}]}, "host name"),
        ({"fetch": [{"host": "."}]}, "host name"),
        ({"fetch": [{"host": "..a"}]}, "host name"),
        ({"fetch": [{"host": "127.1"}]}, "host name"),
        ({"fetch": [{"host": "127.0.0.1"}]}, "loopback"),
        ({"fetch": [{"host": "a", "secret": "x y"}]}, "secret"),
        ({"fetch": [{"host": "a", "secret": "x\n"}]}, "secret"),
        ({"fetch": [{"host": "a"}] * 65}, "fetch"),
        ({"files": [{"path": "in"}]}, "path"),
        ({"files": [{"path": "/in/../etc"}]}, "path"),
        ({"files": [{"path": "/in/"}]}, "path"),
        ({"files": [{"path": "//in"}]}, "path"),
        ({"files": [{"path": "/in\0"}]}, "path"),
        ({"files": [{"path": "/in", "folder": "data"}]}, "folder"),
        ({"files": [{"path": "/in", "folder": "/data/.."}]}, "folder"),
        ({"files": [{"path": "/in", "mode": "w"}]}, "mode"),
        ({"files": [{"path": "/in", "quota_bytes": -1}]}, "quota_bytes"),
        ({"files": [{"path": "/in"}, {"path": "/in"}]}, "same path"),
        ({"env": {"A B": "1"}}, "env"),
        ({"env": {"A": 1}}, "env"),
        ({"ops": "tensor.*"}, "ops"),
        ({"ops": ["*.matmul"]}, "matmul"),
        ({"ops": ["tensor.*.x"]}, "tensor"),
        ({"ops": [""]}, "''"),
        ({"kernels": ["***"]}, "***"),
    ],
)
def test_a_wrong_grant_is_refused_by_name(wrong: object, says: str) -> None:
    with pytest.raises(GrantError) as caught:
        parse(wrong)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        ({"fech": []}, "Did you mean fetch?"),
        ({"fetch": [{"host": "a.org", "method": ["GET"]}]}, "Did you mean methods?"),
        ({"shell": True}, 'As in {"fetch": '),
        (
            {"fetch": [{"host": "a.org", "methods": ["GTE"]}]},
            "Use GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS.",
        ),
        ({"files": [{"path": "/in", "mode": "w"}]}, "Use ro, overlay, rw."),
        ({"native": ["pandas"]}, "Use numpy."),
    ],
)
def test_an_unknown_word_of_a_grant_comes_with_what_may_be_meant(wrong: object, hint: str) -> None:
    with pytest.raises(GrantError) as caught:
        parse(wrong)
    assert (caught.value.hint or "").startswith(hint)


@pytest.mark.parametrize(
    ("pattern", "name", "covers"),
    [
        ("tensor.*", "tensor.matmul", True),
        ("tensor.*", "tensor.*", True),
        ("tensor.*", "tensor.", True),
        ("tensor.*", "hash.sha256", False),
        ("tensor.*", "tensor", False),
        ("*", "sha256", True),
        ("*", "alice/sha256", False),
        ("*", "**", False),
        ("**", "alice/sha256", True),
        ("**", "*", True),
        ("alice/*", "alice/x", True),
        ("alice/*", "alice/x/y", False),
        ("alice/*", "bob/x", False),
        ("alice/**", "alice/x/y", True),
        ("sha256", "sha256", True),
        ("sha256", "sha256*", False),
        ("sha", "sha256", False),
    ],
)
def test_a_name_pattern_covers(pattern: str, name: str, covers: bool) -> None:
    assert covers_name(pattern, name) is covers


@pytest.mark.parametrize(
    ("pattern", "host", "covers"),
    [
        ("example.org", "example.org", True),
        ("example.org", "a.example.org", False),
        (".example.org", "a.example.org", True),
        (".example.org", "a.b.example.org", True),
        (".example.org", "example.org", False),
        (".example.org", "notexample.org", False),
        (".example.org", ".a.example.org", True),
        (".example.org", "*", False),
        ("*", "example.org", True),
        ("*", ".example.org", True),
        ("*", "1.2.3.4", False),
        ("*", "::1", False),
        ("8.8.8.8", "8.8.8.8", True),
    ],
)
def test_a_host_pattern_covers(pattern: str, host: str, covers: bool) -> None:
    assert covers_host(pattern, host) is covers


def test_what_two_patterns_share_is_exactly_what_both_cover() -> None:
    patterns = ["*", "**", "a*", "a**", "ab*", "a/*", "a/**", "a/b", "ab", "b", "a/b*", "c/**"]
    names = ["a", "b", "ab", "abc", "a/b", "a/bc", "a/b/c", "ab/c", "c/d", "c"]
    assert all(is_name_pattern(pattern) for pattern in patterns)
    for first, second in product(patterns, patterns):
        shared = meet_names(first, second)
        for name in names:
            both = covers_name(first, name) and covers_name(second, name)
            assert both == (shared is not None and covers_name(shared, name)), (first, second, name)


def test_what_two_host_patterns_share_is_exactly_what_both_cover() -> None:
    patterns = ["*", ".org", ".a.org", "a.org", "b.a.org", ".b.a.org", "8.8.8.8"]
    hosts = ["a.org", "b.a.org", "c.b.a.org", "c.a.org", "x.org", "8.8.8.8", "a.com"]
    for first, second in product(patterns, patterns):
        shared = meet_hosts(first, second)
        for host in hosts:
            both = covers_host(first, host) and covers_host(second, host)
            assert both == (shared is not None and covers_host(shared, host)), (first, second, host)


@pytest.mark.parametrize(
    ("key", "asked", "given"),
    [
        ({}, FULL, {"ops": ["tensor.*"], "kernels": ["*"]}),
        (FULL, {}, {"ops": ["tensor.*"]}),
        ({"fetch": [{"host": "*"}]}, {"fetch": [{"host": ".a.org"}]}, {"fetch": [{"host": ".a.org"}]}),
        ({"fetch": [{"host": "a.org"}]}, {"fetch": [{"host": "*"}]}, {"fetch": [{"host": "a.org"}]}),
        ({"fetch": [{"host": "a.org"}]}, {"fetch": [{"host": "b.org"}]}, {}),
        ({"fetch": [{"host": "a"}]}, {"fetch": [{"host": "a", "methods": ["POST"]}]}, {}),
        ({"fetch": [{"host": "a"}]}, {"fetch": [{"host": "a", "ports": [8080]}]}, {}),
        (
            {"fetch": [{"host": "a", "methods": ["GET", "POST"], "ports": [443]}]},
            {"fetch": [{"host": "a", "methods": ["POST", "PUT"]}]},
            {"fetch": [{"host": "a", "methods": ["POST"], "ports": [443]}]},
        ),
        ({"fetch": [{"host": "a", "secret": "K"}]}, {"fetch": [{"host": "a"}]}, {"fetch": [{"host": "a"}]}),
        ({"fetch": [{"host": "a"}]}, {"fetch": [{"host": "a", "secret": "K"}]}, {}),
        ({"fetch": [{"host": "a", "secret": "L"}]}, {"fetch": [{"host": "a", "secret": "K"}]}, {}),
        (
            {"files": FULL["files"]},
            {"files": [{"path": "/in"}]},
            {"files": [{"path": "/in", "folder": "/data/in", "quota_bytes": 10, "quota_files": 2}]},
        ),
        (
            {"files": [{"path": "/in", "folder": "/data"}]},
            {"files": [{"path": "/x", "folder": "/data/y", "mode": "rw"}]},
            {"files": [{"path": "/x", "folder": "/data/y"}]},
        ),
        (
            {"files": [{"path": "/in", "folder": "/data", "mode": "rw"}]},
            {"files": [{"path": "/in", "mode": "overlay"}]},
            {"files": [{"path": "/in", "folder": "/data", "mode": "overlay"}]},
        ),
        (
            {"files": [{"path": "/in", "folder": "/data"}]},
            {"files": [{"path": "/in", "folder": "/database"}]},
            {},
        ),
        ({"files": [{"path": "/in", "folder": "/data"}]}, {"files": [{"path": "/in", "folder": "/"}]}, {}),
        ({"files": [{"path": "/in", "folder": "/data"}]}, {"files": [{"path": "/out"}]}, {}),
        ({"env": {"A": "key's"}}, {"env": {"A": None}}, {"env": {"A": "key's"}}),
        ({"env": {"A": None}}, {"env": {"A": "own"}}, {"env": {"A": "own"}}),
        ({"env": {"A": "key's"}}, {"env": {"A": "own"}}, {}),
        ({"env": {"A": "key's"}}, {"env": {"B": "own"}}, {}),
        ({"ops": ["tensor.*"]}, {"ops": ["tensor.add", "hash.sha256"]}, {"ops": ["tensor.add"]}),
        ({"kernels": ["**"]}, {"kernels": ["*", "alice/*"]}, {"kernels": ["*", "alice/*"]}),
        ({"tensors": ["bob/*"]}, {"tensors": ["**"]}, {"tensors": ["bob/*"]}),
    ],
)
def test_a_run_gets_what_both_allow(key: object, asked: object, given: dict[str, object]) -> None:
    expected = parse(given)
    assert intersect(parse(key), parse(asked)) == expected


def test_a_key_without_a_maximum_allows_everything_but_a_folder_without_a_name() -> None:
    assert intersect(None, parse(FULL)) == parse(FULL)
    with pytest.raises(GrantError, match="no folder"):
        intersect(None, parse({"files": [{"path": "/in"}]}))


def test_intersecting_again_changes_nothing() -> None:
    once = intersect(parse(FULL), parse(FULL))
    assert intersect(parse(FULL), once) == once


def test_a_denial_by_name_carries_its_remedy() -> None:
    grants = Grants()
    with pytest.raises(PermissionDenied) as caught:
        grants.require("kernels", "alice/x")
    error = caught.value
    assert (error.gate, error.grant) == ("kernels", {"kernels": ["alice/x"]})
    assert json.dumps(error.grant) in (error.hint or "")
    parse(error.grant).require("kernels", "alice/x")


def test_a_name_with_a_star_is_never_granted() -> None:
    with pytest.raises(PermissionDenied):
        Grants(kernels=("**",)).require("kernels", "*")


def test_a_denial_keeps_its_code_across_processes() -> None:
    with pytest.raises(PermissionDenied) as caught:
        Grants().require("kernels", "alice/x")
    error = KernelgateError.from_record(caught.value.record())
    assert error.code == "permission_denied"
    assert "alice/x" in error.message


def test_a_run_sees_the_granted_variables_and_no_others() -> None:
    assert environment.values(parse(FULL)) == {"A": "1"}


@pytest.mark.parametrize(
    ("key", "asked", "least"),
    [(None, None, None), (500, None, 500), (None, 300, 300), (500, 300, 300), (200, 300, 200)],
)
def test_the_least_fuel_of_key_and_request_counts(
    key: int | None, asked: int | None, least: int | None
) -> None:
    assert intersect(Grants(fuel=key), Grants(fuel=asked)).fuel == least


@pytest.mark.parametrize("fuel", [0, -1, 1 << 32, 1.5, "1"])
def test_fuel_that_nothing_can_have_is_refused(fuel: object) -> None:
    with pytest.raises(GrantError, match="fuel"):
        parse({"fuel": fuel})
