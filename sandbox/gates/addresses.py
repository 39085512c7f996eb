"""Which IP addresses are public.

Owns the table of special ranges, so that the answer does not change with Python's patch releases. An address that
carries another one inside (IPv4-mapped, 6to4, Teredo, NAT64) is never public: what it reaches is decided elsewhere.
"""

from __future__ import annotations

import ipaddress
import socket

_SPECIAL_4 = {
    "0.0.0.0/8": "this network",
    "10.0.0.0/8": "private",
    "100.64.0.0/10": "shared by a carrier's customers",
    "127.0.0.0/8": "loopback",
    "168.63.129.16/32": "a cloud's host services",
    "169.254.0.0/16": "link-local",
    "172.16.0.0/12": "private",
    "192.0.0.0/24": "protocol assignments",
    "192.0.2.0/24": "documentation",
    "192.31.196.0/24": "an anycast sink",
    "192.52.193.0/24": "a multicast relay",
    "192.88.99.0/24": "a 6to4 relay",
    "192.168.0.0/16": "private",
    "192.175.48.0/24": "an anycast sink",
    "198.18.0.0/15": "benchmarking",
    "198.51.100.0/24": "documentation",
    "203.0.113.0/24": "documentation",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "reserved or broadcast",
}
_SPECIAL_6 = {
    "::/128": "unspecified",
    "::1/128": "loopback",
    "::ffff:0:0/96": "an IPv4 address inside an IPv6 one",
    "::ffff:0:0:0/96": "an IPv4 address inside an IPv6 one",
    "::/96": "an IPv4 address inside an IPv6 one",
    "64:ff9b::/96": "an IPv4 address behind a translator",
    "64:ff9b:1::/48": "an IPv4 address behind a translator",
    "100::/64": "discarded",
    "100:0:0:1::/64": "a dummy prefix",
    "2001::/32": "Teredo: an IPv4 address inside an IPv6 one",
    "2001::/23": "protocol assignments",
    "2001:db8::/32": "documentation",
    "2002::/16": "6to4: an IPv4 address inside an IPv6 one",
    "2620:4f:8000::/48": "an anycast sink",
    "3fff::/20": "documentation",
    "5f00::/16": "segment routing",
    "fc00::/7": "private",
    "fe80::/10": "link-local",
    "fec0::/10": "site-local",
    "ff00::/8": "multicast",
}
_NETWORKS_4 = [(ipaddress.IPv4Network(network), reason) for network, reason in _SPECIAL_4.items()]
_NETWORKS_6 = [(ipaddress.IPv6Network(network), reason) for network, reason in _SPECIAL_6.items()]
_UNICAST_6 = ipaddress.IPv6Network("2000::/3")  # all that has ever been given out


def special(address: str) -> str | None:
    """Why `address`, in its canonical spelling, is not public; None when it is public."""
    if "%" in address:
        return "bound to one network interface"
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return "not an IP address"
    if isinstance(parsed, ipaddress.IPv4Address):
        return next((reason for network, reason in _NETWORKS_4 if parsed in network), None)
    reason = next((reason for network, reason in _NETWORKS_6 if parsed in network), None)
    return reason or (None if parsed in _UNICAST_6 else "outside the assigned addresses")


def is_literal(host: str) -> bool:
    """Whether `host` is an IP address rather than a name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_own(address: str) -> bool:
    """Whether `address` is one of this machine's, public or not: only such an address can be bound."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((address, 0))
        except OSError:
            return False
    return True
