"""The last resort, off by default: drand's public beacon, where no stock of an attack and none of
the reserve list has a usable report.

A game that has it ends its published reserve list with DRAND-1, DRAND-2 and so on. All of them rest
on one round of the network “quicknet” (https://docs.drand.love): the first after the close of the
phase's session, so that round and rule are fixed at the lock and nobody can know it then. The
round's signature is checked against the network's public key before it counts; its digits follow
from it by `games.rules.digits.beacon_digit`, which anybody can repeat.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any

from django.conf import settings

from games.market.report import Report, not_over
from games.rules.digits import beacon_digit, beacon_number, beacon_symbol, volume_of_roll
from games.rules.sessions import Session

BASE_URL = "https://api.drand.sh"
CHAIN = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
PUBLIC_KEY = bytes.fromhex(
    "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d1064510"
    "d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"
)
#: Of the scheme bls-unchained-g1-rfc9380: signatures are points of G1, hashed to as RFC 9380 says.
DOMAIN = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
GENESIS = datetime.fromtimestamp(1692803367, UTC)
PERIOD = 3  # seconds
LONGEST_WAIT = 10.0
#: How many attacks of one phase it can decide; beyond them the phase is held.
SYMBOLS = tuple(beacon_symbol(number) for number in range(1, 21))


def round_after(moment: datetime) -> int:
    """The first round that is published after an instant. Round 1 came at the genesis, and one
    every three seconds since."""
    return int((moment - GENESIS).total_seconds()) // PERIOD + 2


class Drand:
    """The beacon as a source: `read` gives DRAND-n as a figure whose hundreds end in its digit."""

    name = "drand"

    def read(self, symbol: str, session: Session, now: datetime) -> Report:
        number = beacon_number(symbol)
        if number is None:
            return Report("unknown", detail=f"{symbol} is no digit of the beacon.")
        if early := not_over(session, now):
            return early
        wanted = round_after(session.closes)
        evidence: dict[str, Any] = {"network": "quicknet", "chain": CHAIN, "round": wanted}
        base = settings.MARKET["drand_base_url"]
        if base:
            evidence["asked_instead_of_drand"] = base
        tree = _fetch(f"{base or BASE_URL}/{CHAIN}/public/{wanted}", trust_environment=not base)
        if isinstance(tree, str):
            return Report("later", detail=tree, raw=evidence, down=True)
        signature = str(tree.get("signature", ""))
        evidence["signature"] = signature[:200]
        if tree.get("round") != wanted or not signed(wanted, signature):
            return Report(
                "later",
                detail=f"What came as round {wanted} is not signed by drand's key.",
                raw=evidence,
                down=True,
            )
        return Report(
            "ok",
            volume_of_roll(beacon_digit(signature, number)),
            f"drand quicknet, round {wanted}",
            evidence,
        )


def _fetch(address: str, *, trust_environment: bool) -> dict[str, Any] | str:
    """The answer, or in words why there is none."""
    import requests  # here, because it takes a while to load and most processes never ask

    try:
        with requests.Session() as web:
            web.trust_env = trust_environment
            answer = web.get(address, timeout=LONGEST_WAIT, allow_redirects=False)
        tree = answer.json() if answer.status_code == 200 else None
    except (requests.RequestException, ValueError) as fault:
        return f"drand did not answer ({type(fault).__name__})."
    return (
        tree
        if isinstance(tree, dict)
        else f"drand answered with status {answer.status_code} and no round."
    )


def signed(number: int, signature: str) -> bool:
    """Whether a signature (hexadecimal) is the network's for a round. About a third of a second: it
    is done once for a digit."""
    from py_ecc.bls.hash_to_curve import (
        hash_to_G1,
    )  # a pure-Python library, loaded only where the last resort is used
    from py_ecc.bls.point_compression import decompress_G1, decompress_G2
    from py_ecc.optimized_bls12_381 import (
        FQ12,
        G2,
        Z1,
        final_exponentiate,
        is_on_curve,
        multiply,
        neg,
        normalize,
        pairing,
    )
    from py_ecc.optimized_bls12_381 import b as curve
    from py_ecc.optimized_bls12_381 import curve_order as order

    try:
        raw = bytes.fromhex(signature)
        point = decompress_G1(int.from_bytes(raw, "big"))
    except ValueError:
        return False
    if (
        len(raw) != 48
        or not is_on_curve(point, curve)
        or normalize(multiply(point, order)) != normalize(Z1)
    ):
        return False
    key = decompress_G2(
        (int.from_bytes(PUBLIC_KEY[:48], "big"), int.from_bytes(PUBLIC_KEY[48:], "big"))
    )
    message = hash_to_G1(hashlib.sha256(number.to_bytes(8, "big")).digest(), DOMAIN, hashlib.sha256)
    both = pairing(G2, point, final_exponentiate=False) * pairing(
        key, neg(message), final_exponentiate=False
    )
    return bool(final_exponentiate(both) == FQ12.one())
