"""Make the one HTTP request to an address that a person gave.

Otherwise that person could make the service request addresses of its own network (server-side
request forgery). So: only https; the name is resolved once, each of its addresses must be on the
public internet, and the connection goes to the checked address, without resolving the name again;
no redirects and no proxies; a limit of seconds; and only the status and `Retry-After` of the answer
are kept.
"""

from __future__ import annotations

import http.client
import ipaddress
import re
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Timer
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

SECONDS = 8.0  # for each step
LONGEST_SECONDS = 15.0  # for the whole request, even if the answer arrives byte by byte
LONGEST_URL = 400
_PLAIN = re.compile(r"[\x21-\x7e]+")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
IP = ipaddress.IPv4Address | ipaddress.IPv6Address


class WebhookError(Exception):
    """An address was not requested. `str()` is one sentence, without the address."""


class NoAnswerError(Exception):
    """No answer came, or none that can be read. `str()` says why, without the address."""


@dataclass(frozen=True)
class Answer:
    status: int
    retry_after: float | None = None


def check(url: str) -> SplitResult:
    """Return the parts of an address, checked as far as possible offline. Raise `WebhookError`."""
    if len(url) > LONGEST_URL:
        raise WebhookError(
            f"The address is {len(url)} characters long; at most {LONGEST_URL} are allowed."
        )
    if not _PLAIN.fullmatch(url):
        raise WebhookError(
            "The address contains blanks or special characters. Copy the whole address again."
        )
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname
    except ValueError as error:
        raise WebhookError("This is not an address. Copy the whole address again.") from error
    if parts.scheme != "https" and not (settings.CHANNELS_LOOPBACK and parts.scheme == "http"):
        raise WebhookError("The address must begin with https://, so that messages are encrypted.")
    if not host or parts.username is not None or parts.password is not None or port == 0:
        raise WebhookError("The address must have only https://, a host name and a path.")
    try:
        literal = ipaddress.ip_address(host)
    except ValueError:
        return parts
    _check_public(literal)
    return parts


def post(url: str, body: bytes, headers: Mapping[str, str] | None = None) -> Answer:
    """Send a body to an address, once. Raise `WebhookError` or `NoAnswerError`.

    `headers`: those that sign it, and its `Content-Type` if it is not JSON.
    """
    parts = check(url)
    host, port = str(parts.hostname), parts.port or (443 if parts.scheme == "https" else 80)
    address = _resolve(host, port)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    all_headers = {
        "Content-Type": "application/json",
        "User-Agent": f"Gamesmaster ({settings.SITE_URL})",
        "Connection": "close",
        **(headers or {}),
    }
    connection = _CheckedConnection(host, port, address, secure=parts.scheme == "https")
    timer = Timer(LONGEST_SECONDS, connection.shut_down)
    timer.daemon = True
    timer.start()
    try:
        connection.request("POST", path, body, all_headers)
        response = connection.getresponse()
        return Answer(response.status, _seconds(response.getheader("Retry-After")))
    except TimeoutError as error:
        raise NoAnswerError("it did not answer in time") from error
    except ssl.SSLError as error:
        raise NoAnswerError("its certificate could not be checked") from error
    except (OSError, http.client.HTTPException) as error:
        raise NoAnswerError(f"it could not be reached ({type(error).__name__})") from error
    finally:
        timer.cancel()
        connection.close()


def _seconds(value: str | None) -> float | None:
    """Return Retry-After in seconds; None for a date, which is rare."""
    return float(value) if value and re.fullmatch(r"\d{1,6}(\.\d+)?", value) else None


def _resolve(host: str, port: int) -> str:
    """Return the first address of a name.

    All its addresses must be on the public internet: one that is not means an attack or a mistake.
    """
    try:
        infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise NoAnswerError("its name is not known") from error
    addresses = [str(info[4][0]) for info in infos]
    if not addresses:
        raise NoAnswerError("its name is not known")
    for address in addresses:
        _check_public(ipaddress.ip_address(address.split("%", 1)[0]))
    return addresses[0]


def _check_public(address: IP) -> None:
    """Raise `WebhookError` unless it is an ordinary address of the public internet."""
    if settings.CHANNELS_LOOPBACK and address.is_loopback:
        return
    if isinstance(address, ipaddress.IPv6Address):
        hidden: ipaddress.IPv4Address | None = address.ipv4_mapped or address.sixtofour
        if address in _NAT64:
            hidden = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if hidden is not None:
            _check_public(hidden)
            return
        if address.teredo is not None:
            raise WebhookError(_PRIVATE)
    if (
        not address.is_global
        or address.is_multicast
        or address.is_reserved
        or address.is_unspecified
    ):
        raise WebhookError(_PRIVATE)


_PRIVATE = "The address is in a private network. Webhooks need an address on the public internet."


class _CheckedConnection(http.client.HTTPConnection):
    """A connection to the checked address. The name is for certificate and Host header."""

    def __init__(self, host: str, port: int, address: str, *, secure: bool) -> None:
        super().__init__(host, port, timeout=SECONDS)
        self.default_port = 443 if secure else 80
        self._address, self._secure = address, secure

    def connect(self) -> None:
        self.sock = socket.create_connection((self._address, self.port), SECONDS)
        if self._secure:
            # The handshake apart, because `shut_down` must find the socket that it waits for.
            self.sock = secured = ssl.create_default_context().wrap_socket(
                self.sock, server_hostname=self.host, do_handshake_on_connect=False
            )
            secured.do_handshake()

    def shut_down(self) -> None:
        """Close the socket in both directions, so that a waiting read ends."""
        if self.sock is not None:
            try:
                self.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                return
