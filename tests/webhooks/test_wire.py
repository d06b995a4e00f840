"""Addresses that a webhook may reach, whatever a person types (server-side request forgery)."""

from __future__ import annotations

import ipaddress
import socket
import threading
import time
from typing import Any

import pytest
from pytest_django import Settings

from games.base import https
from tests.webhooks.chat import Chat

LEADS_INWARD = [
    "https://127.0.0.1/x",
    "https://127.1.2.3:8443/",
    "https://10.0.0.8/x",
    "https://172.16.5.4/x",
    "https://192.168.1.1/x",
    "https://169.254.169.254/latest/meta-data/",
    "https://100.64.0.1/x",
    "https://0.0.0.0/x",
    "https://255.255.255.255/x",
    "https://224.0.0.1/x",
    "https://192.0.2.1/x",
    "https://[::1]/x",
    "https://[::]/x",
    "https://[fe80::1]/x",
    "https://[fc00::1]/x",
    "https://[::ffff:127.0.0.1]/x",
    "https://[::ffff:10.0.0.1]/x",
    "https://[64:ff9b::7f00:1]/x",
    "https://[2002:7f00:1::]/x",
    "https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/x",
    "https://[ff02::1]/x",
]
NO_ADDRESS = [
    "http://hooks.example.org/x",
    "ftp://hooks.example.org/x",
    "file:///etc/passwd",
    "gopher://hooks.example.org/x",
    "https:///x",
    "https://user:word@hooks.example.org/x",
    "https://user@hooks.example.org/x",
    "https://hooks.example.org:0/x",
    "https://hooks.example.org:99999/x",
    "https://[::1/x",
    "https://hooks.example.org/x y",
    "https://hooks.example.org/x\r\nHost: evil",
    "https://hooks.example.org/\u2028",
    "https://hooks.example.org/" + "x" * 400,
    "hooks.example.org/x",
    "",
]


@pytest.mark.parametrize("url", LEADS_INWARD + NO_ADDRESS)
def test_inward_or_invalid_address_is_refused_without_a_connection(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "create_connection", _never)
    monkeypatch.setattr(socket, "getaddrinfo", _never)
    with pytest.raises(https.WebhookError) as refused:
        https.check(url)
    assert "hooks.example.org" not in str(refused.value), (
        "the address is a key: no sentence repeats it"
    )
    with pytest.raises(https.WebhookError):
        https.post(url, b"{}")


def _never(*given: object, **named: object) -> Any:
    raise AssertionError(f"asked {given}")


@pytest.mark.parametrize(
    "url",
    [
        "https://discord.com/api/webhooks/1/abc",
        "https://chat.example.org:8443/hooks/x?y=1",
        "https://8.8.8.8/x",
    ],
)
def test_ordinary_address_is_accepted(url: str) -> None:
    https.check(url)


def _resolves_to(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> list[str]:
    """Fake the name server; return the list of addresses that are connected to, each of which
    fails."""
    connected: list[str] = []

    def resolved(host: str, port: int, **named: object) -> list[Any]:
        families = [socket.AF_INET6 if ":" in address else socket.AF_INET for address in addresses]
        pairs = zip(families, addresses, strict=True)
        return [(family, socket.SOCK_STREAM, 6, "", (address, port)) for family, address in pairs]

    def connect(address: tuple[str, int], timeout: float) -> Any:
        connected.append(address[0])
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    monkeypatch.setattr(socket, "create_connection", connect)
    return connected


@pytest.mark.parametrize(
    "inward",
    ["127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "fe80::1%eth0", "::ffff:192.168.0.1"],
)
def test_name_with_an_inward_address_is_refused(
    inward: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    connected = _resolves_to(monkeypatch, "8.8.8.8", inward)
    with pytest.raises(https.WebhookError):
        https.post("https://hooks.example.org/x", b"{}")
    assert connected == []


def test_connection_uses_the_checked_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """DNS rebinding: the name is not resolved a second time."""
    connected = _resolves_to(monkeypatch, "8.8.8.8")
    with pytest.raises(https.NoAnswerError):
        https.post("https://hooks.example.org/x", b"{}")
    assert connected == ["8.8.8.8"]


def test_loopback_is_reachable_only_by_a_setting(chat: Chat, settings: Settings) -> None:
    assert https.post(chat.url(), b"{}").status == 204
    settings.CHANNELS_LOOPBACK = False
    with pytest.raises(https.WebhookError):
        https.post(chat.url(), b"{}")
    assert len(chat.told) == 1


def test_loopback_setting_opens_no_other_network(settings: Settings) -> None:
    settings.CHANNELS_LOOPBACK = True
    for url in ("http://10.0.0.8/x", "https://169.254.169.254/x"):
        with pytest.raises(https.WebhookError):
            https.check(url)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(status: int, chat: Chat) -> None:
    chat.answers, chat.headers = [status], {"Location": chat.url("/inside")}
    assert https.post(chat.url(), b"{}").status == status
    assert [path for path, _ in chat.told] == ["/hooks/abc"]


def test_proxies_are_not_used(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy inside the network would resolve the name once more."""
    for name in ("http_proxy", "https_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    assert https.post(chat.url(), b"{}").status == 204


def test_slow_answer_is_cut_off(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    """A peer that answers one character at a time must not block a worker."""
    settings.CHANNELS_LOOPBACK = True
    monkeypatch.setattr(https, "LONGEST_SECONDS", 0.3)
    done = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip() -> None:
            peer, _ = server.accept()
            with peer:
                while not done.wait(0.02):
                    try:
                        peer.send(b"H")
                    except OSError:
                        return

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        with pytest.raises(https.NoAnswerError):
            https.post(f"http://127.0.0.1:{server.getsockname()[1]}/x", b"{}")
        done.set()
        thread.join(5)


def test_slow_handshake_is_cut_off(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    """The limit did not reach a connection that still agreed on keys: if it came then, the answer
    that followed might take for ever."""
    settings.CHANNELS_LOOPBACK = True
    monkeypatch.setattr(https, "LONGEST_SECONDS", 0.3)
    monkeypatch.setattr(https, "SECONDS", 20.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        began = time.monotonic()
        with pytest.raises(https.NoAnswerError):
            https.post(f"https://127.0.0.1:{server.getsockname()[1]}/x", b"{}")
        assert time.monotonic() - began < 20


def test_server_without_tls_is_refused_for_https(settings: Settings) -> None:
    settings.CHANNELS_LOOPBACK = True
    with socket.create_server(("127.0.0.1", 0)) as server:

        def plain() -> None:
            peer, _ = server.accept()
            peer.recv(100)
            peer.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            peer.close()

        thread = threading.Thread(target=plain, daemon=True)
        thread.start()
        with pytest.raises(https.NoAnswerError, match="certificate"):
            https.post(f"https://127.0.0.1:{server.getsockname()[1]}/x", b"{}")
        thread.join(5)


def test_every_private_range_is_refused() -> None:
    """RFC 6890 and its successors, as in Python's own tables."""
    for text in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.2.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "240.0.0.0/4",
        "fc00::/7",
        "fe80::/10",
        "2001:db8::/32",
    ):
        network = ipaddress.ip_network(text)
        for address in (network[1], network[network.num_addresses // 2]):
            with pytest.raises(https.WebhookError):
                https._check_public(address)
