"""`deployments.outbound.public_addresses`: no block that IANA sets apart is taken for the internet."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployments.outbound.public_addresses import is_public

PRIVATE = [
    *("127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1"),
    *("::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "::", "ff02::1", "fec0::1"),
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "2002:7f00:1::", "64:ff9b::a00:1", "64:ff9b::7f00:1", "255.255.255.255"),
]
SPECIAL = [  # at least one address of each block of IANA's two special-purpose registries
    *("0.255.255.255", "10.255.255.255", "100.127.255.255", "127.255.255.255", "169.254.255.255", "172.31.255.255"),
    *("192.0.0.7", "192.0.0.8", "192.0.0.9", "192.0.0.10", "192.0.0.170", "192.0.0.255", "192.0.2.255"),
    *("192.31.196.255", "192.52.193.255", "192.88.99.1", "192.88.99.255", "192.168.255.255", "192.175.48.255"),
    *("198.19.255.255", "198.51.100.255", "203.0.113.255", "239.255.255.255", "240.0.0.1"),
    *("64:ff9b:1::1", "64:ff9b:1:ffff:ffff:ffff:808:808", "100::1", "100:0:0:1::1", "2001::1", "2001:0:808:808::"),
    *("2001:1::1", "2001:1::2", "2001:1::3", "2001:2::1", "2001:3::1", "2001:4:112::1", "2001:10::1", "2001:20::1"),
    *("2001:30::1", "2001:1ff:ffff::1", "2001:db8::1", "2002:808:808::1", "2620:4f:8000::1", "3fff::1", "3fff:fff::1"),
    *("5f00::1", "fdff::1", "febf::1", "::808:808", "::ffff:0:808:808", "4000::1", "ffff::1"),
]
BESIDE = [  # the first address after a block, or the last before it
    *("1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0"),
    *("192.0.1.0", "192.0.3.0", "192.88.98.255", "192.88.100.0", "198.17.255.255", "198.20.0.0", "223.255.255.255"),
    *("2001:200::", "2001:4860:4860::8888", "2620:4f:7fff::1", "2620:4f:8001::1", "3ffe::1"),
]


@pytest.mark.parametrize("address", PRIVATE + SPECIAL)
def test_what_is_not_public_is_refused_however_it_is_written(address):
    """Guards against a server that is made to ask its own machine, its neighbours or its cloud's metadata."""
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["93.184.215.14", "8.8.8.8", "2606:4700:4700::1111", "64:ff9b::808:808", *BESIDE])
def test_what_is_public_may_be_fetched(address):
    assert is_public(ipaddress.ip_address(address))


@given(st.ip_addresses())
def test_nothing_is_public_that_python_knows_to_be_local(address):
    """Guards against a block that the table lacks; Python's own list of the registries lacks others."""
    if is_public(address) and getattr(address, "ipv4_mapped", None) is None:
        assert address.is_global
        assert not address.is_multicast


@given(st.ip_addresses(v=4))
def test_an_address_inside_of_another_is_judged_as_itself(address):
    """Guards against a private address that is written as one of version 6."""
    for outer in (f"::ffff:{address}", f"64:ff9b::{address}"):
        assert is_public(ipaddress.ip_address(outer)) == is_public(address)
