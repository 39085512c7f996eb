"""An address is public only when no table and no embedding says otherwise."""

from __future__ import annotations

import ipaddress

import pytest

from sandbox.gates.addresses import is_literal, is_own, special

PUBLIC = ["1.1.1.1", "8.8.8.8", "93.184.216.34", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1"]
PUBLIC += ["192.0.1.1", "198.17.0.1", "198.20.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450::1"]
SPECIAL = [
    "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255",
    "127.0.0.1", "127.255.255.255", "168.63.129.16", "169.254.0.1", "169.254.169.254", "172.16.0.0",
    "172.31.255.255", "192.0.0.0", "192.0.0.8", "192.0.0.170", "192.0.2.1", "192.88.99.1",
    "192.168.0.1", "198.18.0.0", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
    "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1", "::127.0.0.1",
    "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:127.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::8.8.8.8",
    "64:ff9b:1::1", "100::1", "2001::1", "2001:0:7f00:1::1", "2001:10::1", "2001:20::1",
    "2001:db8::1", "2002:7f00:1::1", "2002:808:808::1", "3fff::1", "4000::1", "5f00::1",
    "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "8000::1",
    "fe80::1%eth0", "2606:4700::1%eth0", "127.1", "0177.0.0.1", "2130706433", "localhost",
]  # fmt: skip


@pytest.mark.parametrize("address", PUBLIC)
def test_an_ordinary_address_is_public(address: str) -> None:
    assert special(address) is None


@pytest.mark.parametrize("address", SPECIAL)
def test_a_special_address_is_not_public_and_says_why(address: str) -> None:
    assert special(address)


def test_everything_that_python_calls_not_global_is_special_here() -> None:
    blocks = [ipaddress.ip_network((n << 112, 16)) for n in range(0, 1 << 16, 257)]
    blocks += [ipaddress.ip_network((n << 16, 16)) for n in range(0, 1 << 16, 7)]
    wrong = [str(block[1]) for block in blocks if not block[1].is_global and special(str(block[1])) is None]
    assert not wrong


def test_an_address_of_this_machine_is_known() -> None:
    assert is_own("127.0.0.1")
    assert not is_own("93.184.216.34")


def test_only_the_usual_spelling_is_an_address() -> None:
    assert is_literal("1.2.3.4")
    assert is_literal("::1")
    assert not any(is_literal(text) for text in ("1.2.3", "0x7f.0.0.1", "example.org", "", "1.2.3.4."))
