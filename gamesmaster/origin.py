"""Where a request comes from: the network address, believed of trusted proxies alone."""

from __future__ import annotations

import ipaddress
from typing import Any

from django.conf import settings
from django.http import HttpRequest

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
#: One household or one school has the whole of such a network; who has one address of it has them
# all.
IPV6_PREFIX = 64


def networks(written: list[str]) -> list[Network]:
    """The networks named in `TRUSTED_PROXIES`. Raises `ValueError` for one that is none."""
    return [ipaddress.ip_network(one.strip(), strict=False) for one in written if one.strip()]


def origin_of(request: HttpRequest) -> str:
    """The address to count by, as text; an IPv6 address counts as its network. "" where nobody can
    tell.

    No header is believed unless the operator has said that a proxy of his writes it. With
    `TRUSTED_PROXIES` it is believed from these alone, and the first address from the right that is
    not one of theirs is the asker's. With `BEHIND_TLS_PROXY` and no such list everything comes
    through that one proxy, and what it has written last counts: what stands before it anybody may
    have written.
    """
    direct = str(request.META.get("REMOTE_ADDR", ""))
    written = [
        one.strip()
        for one in str(request.META.get("HTTP_X_FORWARDED_FOR", ""))[:2000].split(",")
        if one.strip()
    ]
    proxies = networks(settings.TRUSTED_PROXIES)
    if proxies:
        asker = direct
        while written and _within(asker, proxies):
            asker = written.pop()
        return _check_count(asker)
    if getattr(settings, "SECURE_PROXY_SSL_HEADER", None) and written:
        return _check_count(written[-1])
    return _check_count(direct)


def _within(address: str, proxies: list[Network]) -> bool:
    """Return whether it is a proxy of ours. A socket on this machine has no address, and is."""
    found = _parse(address)
    return address == "" or (
        found is not None
        and any(found in network for network in proxies if network.version == found.version)
    )


def _parse(address: str) -> Any:
    try:
        return ipaddress.ip_address(address)
    except ValueError:
        return None


def _check_count(address: str) -> str:
    found = _parse(address)
    if found is None:
        return ""
    if found.version == 6:
        mapped = found.ipv4_mapped
        return (
            str(mapped) if mapped else str(ipaddress.ip_network((found, IPV6_PREFIX), strict=False))
        )
    return str(found)
