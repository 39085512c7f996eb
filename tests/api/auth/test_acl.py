"""`api/auth/acl.py`: the decision, held against a table written out by hand."""

from __future__ import annotations

import pytest

from api.auth.acl import LEVELS, MAX_ENTRIES, Entry, Level, Target, check, require
from api.auth.identity import Identity
from api.errors import AccessDenied, InvalidRequest, TensorNotFound
from sandbox.gates.errors import PermissionDenied
from sandbox.gates.grants import Grants

TENSOR = Target("tensor", "alice", "ten_1")
MISSING = TensorNotFound.of("ten_1")
BOB = Identity(
    "00000000000b", "bob", "user", Grants(tensors=("**",), kernels=("**",)), groups=("lab", "night")
)


def outcome(identity: Identity, wanted: Level, *entries: tuple[str, Level], target: Target = TENSOR) -> str:
    """The name of the rule that allows, or the code of the error."""
    try:
        return require(identity, target, [Entry(*entry) for entry in entries], wanted, MISSING).rule
    except (AccessDenied, TensorNotFound, PermissionDenied) as error:
        return error.code


@pytest.mark.parametrize("wanted", LEVELS)
def test_an_object_without_a_list_is_its_owners_and_the_admins_alone(wanted: Level) -> None:
    assert outcome(BOB, wanted) == "tensor_not_found"
    assert outcome(Identity("1", "alice", "user"), wanted) == "owner"
    assert outcome(Identity("2", "root", "admin", None), wanted) == "role"


@pytest.mark.parametrize(
    ("given", "allowed"),
    [
        ("read", ["read"]),
        ("use", ["read", "use"]),
        ("write", ["read", "use", "write"]),
        ("admin", ["read", "use", "write", "admin"]),
    ],
)
@pytest.mark.parametrize("to", ["key:00000000000b", "group:lab", "group:night", "everyone"])
def test_a_level_has_all_before_it_and_what_is_beyond_is_denied_not_hidden(
    to: str, given: Level, allowed: list[str]
) -> None:
    for wanted in LEVELS:
        expected = "acl" if wanted in allowed else "access_denied"
        assert outcome(BOB, wanted, (to, given)) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "to", ["key:00000000000c", "group:day", "group:la", "key:bob", "group:bob", "Everyone"]
)
def test_an_entry_to_others_hides_the_object_as_none_does(to: str) -> None:
    assert outcome(BOB, "read", (to, "admin")) == "tensor_not_found"


def test_the_best_of_several_entries_counts() -> None:
    entries: list[tuple[str, Level]] = [("everyone", "read"), ("group:lab", "write"), ("group:night", "use")]
    assert outcome(BOB, "write", *entries) == "acl"
    assert outcome(BOB, "admin", *entries) == "access_denied"


def test_a_keys_own_grants_bound_what_it_may_use_of_others_and_not_what_it_may_read() -> None:
    shared: tuple[str, Level] = ("everyone", "write")
    narrow = Identity("3", "bob", "user", Grants(tensors=("carol/*",), kernels=("*",)))
    assert outcome(narrow, "use", shared) == "permission_denied"
    assert outcome(narrow, "read", shared) == "acl"
    assert outcome(narrow, "use", shared, target=Target("kernel", "alice", "fft")) == "permission_denied"
    assert outcome(narrow, "use", shared, target=Target("script", "alice", "job")) == "acl"
    assert outcome(narrow, "use", shared, target=Target("tensor", "carol", "ten_2")) == "acl"
    assert outcome(narrow, "use", target=Target("tensor", "bob", "ten_3")) == "owner"


def test_a_denial_names_the_entry_that_would_change_it() -> None:
    with pytest.raises(AccessDenied) as caught:
        require(BOB, Target("kernel", "alice", "fft"), [Entry("everyone", "read")], "use", MISSING)
    assert "see the kernel 'alice/fft', but not use it" in caught.value.message
    assert caught.value.hint is not None
    assert '{"to": "key:00000000000b", "may": "use"} with PUT /api/kernels/alice/fft/acl' in caught.value.hint


@pytest.mark.parametrize(
    "to", ["", "bob", "key:", "key:xyz", "group:", "group:A", "everyone ", "key:00000000000b\n"]
)
def test_an_entry_to_nobody_is_refused(to: str) -> None:
    with pytest.raises(InvalidRequest, match="is nobody"):
        check([Entry(to, "read")])


def test_a_list_is_bounded_and_names_each_once() -> None:
    entries = [Entry(f"group:g{n}", "read") for n in range(MAX_ENTRIES)]
    check(entries)
    with pytest.raises(InvalidRequest, match="at most 64"):
        check([*entries, Entry("everyone", "read")])
    with pytest.raises(InvalidRequest, match="the same"):
        check([Entry("everyone", "read"), Entry("everyone", "write")])
