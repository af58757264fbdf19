"""Decides whether an IP address is public: all that no IANA registry sets apart as private or special.

Our own table, as the one in Python's `ipaddress` lacks blocks, and differs by its version. Sources: the IANA IPv4 and
IPv6 Special-Purpose Address Registries, as of 2025-10-09, whole blocks also where the registry calls a part of them
globally reachable (anycast services, no documents lie there); and RFC 4291, section 2.4: of version 6, only 2000::/3.
"""

from __future__ import annotations

import ipaddress

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

SPECIAL_V4 = tuple(
    ipaddress.IPv4Network(block)
    for block in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # shared by a carrier's NAT
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local, metadata of clouds
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # IETF protocols: DS-Lite, dummy address, anycast of PCP and TURN, discovery of NAT64
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # AMT
        "192.88.99.0/24",  # 6to4 relay anycast
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112, direct delegation
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)
GLOBAL_UNICAST_V6 = ipaddress.IPv6Network("2000::/3")
SPECIAL_V6 = tuple(
    ipaddress.IPv6Network(block)
    for block in (
        "2001::/23",  # IETF protocols: Teredo, anycast of PCP, TURN and DNS-SD, benchmarks, AMT, AS112, ORCHID, drones
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4: an IPv4 address inside, by relays that nobody vouches for
        "2620:4f:8000::/48",  # AS112, direct delegation
        "3fff::/20",  # documentation
    )
)
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # an IPv4 address inside; 64:ff9b:1::/48 is for a network's own use


def is_public(address: Address) -> bool:
    """Whether it is of the public internet; one of version 4 inside of one of version 6 counts as itself."""
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in block for block in SPECIAL_V4)
    if address.scope_id is not None:
        return False
    if address.ipv4_mapped is not None:
        return is_public(address.ipv4_mapped)
    if address in NAT64:
        return is_public(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return address in GLOBAL_UNICAST_V6 and not any(address in block for block in SPECIAL_V6)
