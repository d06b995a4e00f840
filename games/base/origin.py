"""Find the network address of a request, trusting only configured proxies."""

from __future__ import annotations

import ipaddress
from typing import Any

from django.conf import settings
from django.http import HttpRequest

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
#: The prefix of a network that one household or school has: it can use all addresses in it.
IPV6_PREFIX = 64


def networks(written: list[str]) -> list[Network]:
    """Return the networks of `TRUSTED_PROXIES`. Raise `ValueError` for an invalid one."""
    return [ipaddress.ip_network(network, strict=False) for network in written]


def origin_of(request: HttpRequest) -> str:
    """Return the address to count by, as text; for IPv6, its network. "" if it is unknown.

    No header is trusted unless the operator has said that their proxy sets it. With
    `TRUSTED_PROXIES` only the header of these proxies is trusted, and the client is the first
    address from the right that is not a proxy. With `BEHIND_TLS_PROXY` and no such list everything
    comes through that one proxy and its entry, the last one, counts: clients can forge the others.
    """
    direct = str(request.META.get("REMOTE_ADDR", ""))
    forwarded = [
        entry.strip()
        for entry in str(request.META.get("HTTP_X_FORWARDED_FOR", "")).split(",")
        if entry.strip()
    ]
    proxies = networks(settings.TRUSTED_PROXIES)
    if proxies:
        client = direct
        while forwarded and _within(client, proxies):
            client = forwarded.pop()
        return _check_count(client)
    if getattr(settings, "SECURE_PROXY_SSL_HEADER", None) and forwarded:
        return _check_count(forwarded[-1])
    return _check_count(direct)


def _within(address: str, proxies: list[Network]) -> bool:
    """Return whether an address is a trusted proxy. A local socket has no address, and is."""
    parsed = _parse(address)
    return address == "" or (
        parsed is not None
        and any(parsed in network for network in proxies if network.version == parsed.version)
    )


def _parse(address: str) -> Any:
    try:
        return ipaddress.ip_address(address)
    except ValueError:
        return None


def _check_count(address: str) -> str:
    parsed = _parse(address)
    if parsed is None:
        return ""
    if parsed.version == 6:
        mapped = parsed.ipv4_mapped
        return (
            str(mapped)
            if mapped
            else str(ipaddress.ip_network((parsed, IPV6_PREFIX), strict=False))
        )
    return str(parsed)
