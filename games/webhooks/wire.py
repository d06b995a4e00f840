"""The one request that the service makes to an address that somebody gave it.

Whoever may enter an address could else have the service ask its own network for him (server-side
request forgery). So: https alone; the name is resolved once, every address that it has must be one
of the open internet, and the connection goes to the address that was checked, not to the name
again; no redirect is followed, no proxy asked; seconds, not minutes; and of the answer nothing is
kept but its number.
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
LONGEST_SECONDS = 15.0  # for all of it, however slowly the other side drips
LONGEST_URL = 400
_PLAIN = re.compile(r"[\x21-\x7e]+")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
IP = ipaddress.IPv4Address | ipaddress.IPv6Address


class Refused(Exception):
    """An address never asked. `str()` is one sentence, without the address."""


class Unreached(Exception):
    """No answer, or none understood. `str()` says how, without the address."""


@dataclass(frozen=True)
class Answer:
    status: int
    retry_after: float | None = None


def check(url: str) -> SplitResult:
    """Return the parts of an address, as far as can be told offline. Raises `Refused`."""
    if len(url) > LONGEST_URL:
        raise Refused(f"The address is {len(url)} signs long; at most {LONGEST_URL} are taken.")
    if not _PLAIN.fullmatch(url):
        raise Refused("The address has blanks or strange signs in it: copy it once more, whole.")
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname
    except ValueError as error:
        raise Refused("This is no address: copy it once more, whole.") from error
    if parts.scheme != "https" and not (settings.CHANNELS_LOOPBACK and parts.scheme == "http"):
        raise Refused(
            "The address must begin with https://, so that nobody on the way can read it."
        )
    if not host or parts.username is not None or parts.password is not None or port == 0:
        raise Refused(
            "The address must be a plain one: https://, the name of a machine, and a path."
        )
    try:
        literal = ipaddress.ip_address(host)
    except ValueError:
        return parts
    _public(literal)
    return parts


def post(url: str, body: bytes, headers: Mapping[str, str] | None = None) -> Answer:
    """Send a body to an address, once. Raises `Refused` or `Unreached`.

    `headers`: those that sign it; also its `Content-Type` where it is not JSON.
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
    connection = _Checked(host, port, address, secure=parts.scheme == "https")
    ends = Timer(LONGEST_SECONDS, connection.cut)
    ends.daemon = True
    ends.start()
    try:
        connection.request("POST", path, body, all_headers)
        answered = connection.getresponse()
        return Answer(answered.status, _seconds(answered.getheader("Retry-After")))
    except TimeoutError as error:
        raise Unreached("it did not answer in time") from error
    except ssl.SSLError as error:
        raise Unreached("its certificate could not be checked") from error
    except (OSError, http.client.HTTPException) as error:
        raise Unreached(f"it could not be reached ({type(error).__name__})") from error
    finally:
        ends.cancel()
        connection.close()


def _seconds(value: str | None) -> float | None:
    """Retry-After in seconds; a date there is not worth reading."""
    return float(value) if value and re.fullmatch(r"\d{1,6}(\.\d+)?", value) else None


def _resolve(host: str, port: int) -> str:
    """The first address of a name, all of which must be of the open internet: one that is not tells
    of a trick, or of a mistake."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Unreached("its name is not known") from error
    addresses = [str(one[4][0]) for one in found]
    if not addresses:
        raise Unreached("its name is not known")
    for address in addresses:
        _public(ipaddress.ip_address(address.split("%", 1)[0]))
    return addresses[0]


def _public(address: IP) -> None:
    """Raises `Refused` for what is no ordinary address of the open internet."""
    if settings.CHANNELS_LOOPBACK and address.is_loopback:
        return
    if isinstance(address, ipaddress.IPv6Address):
        hidden: ipaddress.IPv4Address | None = address.ipv4_mapped or address.sixtofour
        if address in _NAT64:
            hidden = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if hidden is not None:
            _public(hidden)
            return
        if address.teredo is not None:
            raise Refused(_PRIVATE)
    if (
        not address.is_global
        or address.is_multicast
        or address.is_reserved
        or address.is_unspecified
    ):
        raise Refused(_PRIVATE)


_PRIVATE = (
    "The address leads into a private network. Only addresses on the open internet can be told"
    " anything."
)


class _Checked(http.client.HTTPConnection):
    """A connection to the checked address; the name is for certificate and Host header."""

    def __init__(self, host: str, port: int, address: str, *, secure: bool) -> None:
        super().__init__(host, port, timeout=SECONDS)
        self.default_port = 443 if secure else 80
        self._address, self._secure = address, secure

    def connect(self) -> None:
        self.sock = socket.create_connection((self._address, self.port), SECONDS)
        if self._secure:
            self.sock = ssl.create_default_context().wrap_socket(
                self.sock, server_hostname=self.host
            )

    def cut(self) -> None:
        """Ends whatever is going on; the reading side then has nothing more to wait for."""
        if self.sock is not None:
            try:
                self.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                return
