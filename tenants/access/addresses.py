"""Client addresses: read as they come from sockets and proxies, and cut to their network. Pure."""

from __future__ import annotations

import ipaddress

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def parse_address(text: str) -> Address | None:
    """The address, or None. `::ffff:192.0.2.1` (a dual-stack socket's IPv4) is 192.0.2.1, and the
    zone of a link-local address (`fe80::1%eth0`) says nothing about the client."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def network_of(address: Address) -> str:
    """The /24 or /48 around it: as much of an address as an event holds in the clear."""
    width = 24 if address.version == 4 else 48
    return str(ipaddress.ip_network((address, width), strict=False))
