"""Tokens that prove that a letter reached its reader: login links and codes, invitations, and reply
addresses.

Every token is made with the service's secret, so that neither the outbox nor a copy of the database
lets anybody in, and is computed when its letter is rendered. Tokens of an earlier SECRET_KEY stay
valid while that key is in SECRET_KEY_FALLBACKS (games.base.signing).

- Signed are tokens of what a row says anyway: links to join, to run and to mute a game, and the
  addresses of bounces and answers.
- Derived from a nonce, and found by a stored hash, are tokens that outlive a lost SECRET_KEY
  (invitations, calendars, reply addresses), are used once, or are short: codes that a person types,
  and reply addresses, in which mail servers change case. A signature has 43 characters of both.
"""

from __future__ import annotations

import base64
import re
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Protocol

from django.conf import settings
from django.db import transaction

from games.base import signing
from games.base.signing import Salt
from games.models import (
    Act,
    Address,
    Game,
    Invitation,
    Letter,
    LoginKey,
    Outage,
    Person,
    PrintedCode,
    ReplyAddress,
    Seat,
    WrongCode,
)
from games.models.coded import CODE
from games.models.people import tidy_address

LOGIN_LASTS = timedelta(minutes=30)
INVITATION_LASTS = timedelta(days=60)
#: How many unused login letters of a person may be valid at once.
LOGINS_OPEN = 5
#: Letters and digits that are not confused with each other in print or read aloud; 5 bits each.
CODE_SIGNS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
LOGIN_CODE_LENGTH = 10
NO_LONGER = "This invitation is no longer valid. Ask the gamesmaster for a new one."


class Nonced(Protocol):
    """A row with a nonce: `orders.models.Handling`, which this module cannot import."""

    code: Any
    nonce: Any


class KeyRefused(Exception):
    """Raised for a token that is not valid. `str()` is one sentence for the person who used it."""


def new_nonce(salt: Salt) -> tuple[str, str]:
    """Return a new nonce and the hash of its token for a purpose, to store in a row."""
    nonce = secrets.token_hex(32)
    return nonce, hash_of(key_of(salt, nonce))


def key_of(salt: Salt, nonce: str, token_hash: str = "") -> str:
    """Return the token of a nonce, 40 hexadecimal digits; `token_hash` is the stored hash."""
    key = signing.key_for(token_hash, lambda key: hash_of(signing.derive(salt, nonce, key)[:40]))
    return signing.derive(salt, nonce, key)[:40]


def hash_of(token: str) -> str:
    """Return the hash by which a token's row is found."""
    return sha256(token.encode()).hexdigest()


def login_token(key: LoginKey) -> str:
    """Return the token in the link of a login letter."""
    return key_of(Salt.LOGIN, key.nonce, key.token_hash)


def login_code(key: LoginKey) -> str:
    """Return the code of a login letter, to type on another device: 2 groups of 5 characters, 50
    bits."""
    used = signing.key_for(
        key.code_hash, lambda used: _login_code_hash(_login_signs(key, used), used)
    )
    characters = _login_signs(key, used)
    return f"{characters[:5]}-{characters[5:]}"


def _login_signs(key: LoginKey, used: str) -> str:
    return _code_signs(Salt.LOGIN_CODE, key.nonce, LOGIN_CODE_LENGTH, used)


def tidy_code(written: str) -> str:
    """Normalize a typed code for comparison: only capital letters and digits."""
    return "".join(character for character in written.upper() if character.isalnum())[:40]


def new_login(person: Person, next_page: str, now: datetime) -> LoginKey:
    """Create a login key that is valid for 30 minutes. Raise `KeyRefused` if `LOGINS_OPEN` unused
    ones exist.

    Earlier keys stay valid, so that a stranger's requests in a person's name cannot lock them out.
    """
    if (
        LoginKey.objects.filter(person=person, used_at=None, expires_at__gt=now).count()
        >= LOGINS_OPEN
    ):
        raise KeyRefused(
            f"{LOGINS_OPEN} login letters to that address are still unused. Use the newest one: its"
            " link and its code still work."
        )
    key = LoginKey(
        person=person,
        nonce=secrets.token_hex(32),
        next_page=next_page,
        asked_at=now,
        expires_at=now + LOGIN_LASTS,
    )
    key.token_hash = hash_of(login_token(key))
    key.code_hash = _login_code_hash(login_code(key))
    key.save()
    return key


def find_login(token: str, now: datetime) -> LoginKey:
    """Return the valid key behind a link, without using it up, because mail scanners follow links.
    Raise `KeyRefused`."""
    key = LoginKey.objects.select_related("person").filter(token_hash=hash_of(token)).first()
    if key is None or key.used_at is not None or key.expires_at <= now or not key.person.is_active:
        raise KeyRefused("This login link has been used or has expired. Ask for a new one.")
    return key


def use_login(key: LoginKey, now: datetime) -> Person:
    """Use up the key and return the person. Of two simultaneous uses, only one succeeds. Raise
    `KeyRefused`."""
    if (
        LoginKey.objects.filter(pk=key.pk, used_at=None, expires_at__gt=now).update(used_at=now)
        != 1
    ):
        raise KeyRefused("This login link has been used or has expired. Ask for a new one.")
    return key.person


def use_code(email: str, code: str, now: datetime) -> Person:
    """Log in with the code of any valid login letter. Raise `KeyRefused`.

    Wrong codes are counted by network address (`rate_limits.WRONG_CODES_HERE`), never by account,
    which would let a stranger lock its owner out. Guessing is hopeless anyway, because a code has
    50 bits and is valid for 30 minutes. One network has 60 tries in 10 minutes, 3.2 million a year:
    with 5 letters always open, 1 chance in 70 million a year. 1,000 guesses a second from any
    number of networks, more than the service can answer, have 1 chance in 7,000 a year.
    """
    hashes = [_login_code_hash(code, used) for used in signing.every_key()]
    unused = LoginKey.objects.filter(
        person__email=tidy_address(email), person__is_active=True, used_at=None, expires_at__gt=now
    )
    key = unused.select_related("person").filter(code_hash__in=hashes).first()
    if key is None:
        raise KeyRefused(
            "That code does not belong to a letter to this address, or it has expired. Check it, or"
            " ask for a new one."
        )
    return use_login(key, now)


def _login_code_hash(code: str, used: str | None = None) -> str:
    """Return a keyed hash, because brute force could find so short a code from a plain hash."""
    return signing.derive(Salt.LOGIN_CODE_HASH, tidy_code(code), used)


def invitation_token(invitation: Invitation) -> str:
    return key_of(Salt.INVITATION, invitation.nonce, invitation.token_hash)


def join_token(game: Game) -> str:
    """Return the token in the link that a gamesmaster shares: anybody who has it may take a free
    seat.

    Each value of `Game.join_link` gives another token.
    """
    return signing.sign(Salt.JOIN, _join_facts(game))


def is_join(token: str, game: Game) -> bool:
    return signing.is_signed(Salt.JOIN, _join_facts(game), token)


def _join_facts(game: Game) -> str:
    return f"{game.pk} {game.opened_at.isoformat()} {game.join_link}"


def request_token(act: Act) -> str:
    """Return the token of a letter that asks a person to run a game: the act's code and its
    proof."""
    return f"{act.code}-{signing.sign(Salt.REQUEST, _request_facts(act))}"


def code_in(token: str) -> str:
    """Return the row's code in a token `code-proof`, not checking the proof; "" for anything
    else."""
    code = token.partition("-")[0]
    return code if re.fullmatch(CODE, code) else ""


def is_request(token: str, act: Act) -> bool:
    return signing.is_signed(Salt.REQUEST, _request_facts(act), token.partition("-")[2])


def _request_facts(act: Act) -> str:
    return f"{act.code} {act.about['person']} {act.done_at.isoformat()}"


def new_invitation(
    seat: Seat, email: str, invited_by: Person, now: datetime, name: str = ""
) -> Invitation:
    """Create an invitation to a seat; unless it is a team's, withdraw earlier open ones."""
    if not seat.team:
        Invitation.objects.open().filter(seat=seat).update(withdrawn_at=now)
    invitation = Invitation(
        seat=seat,
        email=tidy_address(email),
        name=name,
        invited_by=invited_by,
        nonce=secrets.token_hex(32),
        invited_at=now,
    )
    invitation.token_hash = hash_of(invitation_token(invitation))
    invitation.save()
    return invitation


def find_invitation(token: str, now: datetime) -> Invitation:
    """Return the valid invitation behind a link. Raise `KeyRefused`."""
    invitation = (
        Invitation.objects.select_related("seat__game", "invited_by")
        .filter(token_hash=hash_of(token))
        .first()
    )
    if invitation is None or not is_open(invitation, now):
        raise KeyRefused(NO_LONGER)
    return invitation


def is_open(invitation: Invitation, now: datetime) -> bool:
    """Return whether an invitation is neither withdrawn nor expired."""
    return invitation.withdrawn_at is None and now < invitation_ends(invitation.invited_at)


def invitation_ends(asked_at: datetime) -> datetime:
    """Return until when an invitation, or a request to run a game, can be accepted."""
    return Outage.objects.end_of(asked_at, INVITATION_LASTS)


# --- reply addresses ---

#: The token in a reply address: its kind, then 128 bits in base32, which survives mail servers that
#: change case.
REPLY_KEY = re.compile(r"r[a-z2-7]{26}")
#: Digits of the proofs in addresses: a bounce shows only which letter came back. With the code of
#: the row they leave 14 of the 64 characters that may stand before the @ (RFC 5321, 4.5.3.1.1).
BOUNCE_DIGITS, ASKING_DIGITS = 16, 24
BOUNCE_KEY = re.compile(rf"b({CODE})-([0-9a-f]{{{BOUNCE_DIGITS}}})")
#: The token of a letter that asks for a yes: i for an invitation, c for a message to confirm, a for
#: an address to confirm; then the row's code and the proof.
ASKING_KEY = re.compile(rf"([ica])({CODE})-[0-9a-f]{{{ASKING_DIGITS}}}")


def reply_token(reply: ReplyAddress) -> str:
    """Return the token in a reply address: `r` and 26 lower-case letters and digits."""
    key = signing.key_for(reply.token_hash, lambda key: hash_of(_reply_token(reply, key)))
    return _reply_token(reply, key)


def _reply_token(reply: ReplyAddress, key: str) -> str:
    number = bytes.fromhex(signing.derive(Salt.REPLY, reply.nonce, key))[:16]
    return "r" + base64.b32encode(number).decode().rstrip("=").lower()


def reply_address(
    person: Person, game: Game, now: datetime, reply: ReplyAddress | None = None
) -> str:
    """Return `orders+<token>@domain`, the address at which this person answers letters about this
    game.

    Create it when first needed, and again if the key that it was made with is
    no longer among the service's. `reply` is the row,
    if the caller already has it.
    """
    place = game.pk, person.pk
    if reply is None:
        reply = ReplyAddress.objects.filter(person=person, game=game, ended_at=None).first()
    if reply is None:
        reply = new_replies([place], now)[place]
    token = reply_token(reply)
    if hash_of(token) != reply.token_hash:
        token = reply_token(renew_reply(person, game, now))
    return plus(settings.MAIL_REPLY, token)


def plus(address: str, key: str) -> str:
    """Return `orders+key@domain` for `orders@domain`."""
    local, _, domain = address.rpartition("@")
    return f"{local}+{key}@{domain}"


def new_replies(
    places: Iterable[tuple[int, int]], now: datetime
) -> dict[tuple[int, int], ReplyAddress]:
    """Create reply addresses, in two queries; return the rows. Of two simultaneous calls, both
    return those of the first. Places are the primary keys of game and person."""
    new = []
    for game, person in places:
        nonce = secrets.token_hex(32)
        reply = ReplyAddress(person_id=person, game_id=game, nonce=nonce, made_at=now)
        reply.token_hash = hash_of(reply_token(reply))
        new.append(reply)
    ReplyAddress.objects.bulk_create(new, ignore_conflicts=True)
    games, people = {reply.game_id for reply in new}, {reply.person_id for reply in new}
    rows = ReplyAddress.objects.filter(game__in=games, person__in=people, ended_at=None)
    return {(row.game_id, row.person_id): row for row in rows}


def find_reply(token: str) -> ReplyAddress | None:
    """Return the reply address with this token, unless it was revoked."""
    if not REPLY_KEY.fullmatch(token.lower()):
        return None
    valid = ReplyAddress.objects.filter(token_hash=hash_of(token.lower()), ended_at=None)
    return next(iter(valid.select_related("person", "game")), None)


def renew_reply(person: Person, game: Game, now: datetime) -> ReplyAddress:
    """Revoke a reply address that others know, and create another. Letters already sent keep the
    old one."""
    place = game.pk, person.pk
    with transaction.atomic():
        ReplyAddress.objects.filter(person=person, game=game, ended_at=None).update(ended_at=now)
        return new_replies([place], now)[place]


def asking_token(kind: str, row: Invitation | Address | Nonced) -> str:
    """Return the token in the reply address of a letter that asks for a yes. It is not valid in
    links."""
    proof = signing.sign_address(Salt.ANSWER, f"{kind} {row.nonce}", ASKING_DIGITS)
    return f"{kind}{row.code}-{proof}"


def is_asking(token: str, kind: str, row: Invitation | Address | Nonced) -> bool:
    proof = token.partition("-")[2]
    return bool(row.nonce) and signing.is_signed_address(
        Salt.ANSWER, f"{kind} {row.nonce}", ASKING_DIGITS, proof
    )


def mute_token(reply: ReplyAddress) -> str:
    """Return the token in the link that mutes the letters of a game."""
    return f"{reply.code}-{signing.sign(Salt.MUTE, reply.nonce)}"


def find_mute(game: Game, token: str) -> ReplyAddress | None:
    """Return the reply address whose letters a token mutes; revoked ones still work for this."""
    replies = ReplyAddress.objects.filter(game=game, code=code_in(token)).select_related("person")
    reply = replies.first()
    if reply is None:
        return None
    proof = token.partition("-")[2]
    return reply if signing.is_signed(Salt.MUTE, reply.nonce, proof) else None


def bounce_token(letter: Letter) -> str:
    """Return the token in a letter's bounce address, which identifies the letter."""
    return f"b{letter.code}-{signing.sign_address(Salt.BOUNCE, letter.code, BOUNCE_DIGITS)}"


def find_bounced(token: str) -> Letter | None:
    """Return the letter that bounced to an address with this token."""
    match = BOUNCE_KEY.fullmatch(token.lower())
    if match is None:
        return None
    if not signing.is_signed_address(Salt.BOUNCE, match[1], BOUNCE_DIGITS, match[2]):
        return None
    return Letter.objects.filter(code=match[1]).first()


def address_token(address: Address) -> str:
    return key_of(Salt.ADDRESS, address.nonce, address.token_hash)


# --- codes on slips of paper, for a class (games.desk.classroom) ---

CODE_LENGTH = 8
WRONG_PRINTED_CODES = 60  # from one network address, which a whole school may share
WRONG_PRINTED_CODES_WITHIN = timedelta(minutes=10)


def new_printed_code(person: Person, game: Game, made_by: Person, now: datetime) -> PrintedCode:
    """Create a code for a pupil and revoke their earlier one for this game."""
    PrintedCode.objects.filter(person=person, game=game, revoked_at=None).update(revoked_at=now)
    code = PrintedCode(
        person=person, game=game, nonce=secrets.token_hex(32), made_by=made_by, made_at=now
    )
    code.code_hash = _printed_hash(tidy_code(printed_code(code)))
    code.save()
    return code


def printed_code(code: PrintedCode) -> str:
    """Return the code as it is printed on the slip: 2 groups of 4 characters."""
    key = signing.key_for(code.code_hash, lambda key: _printed_hash(_printed_signs(code, key), key))
    characters = _printed_signs(code, key)
    return f"{characters[:4]}-{characters[4:]}"


def _printed_signs(code: PrintedCode, key: str) -> str:
    return _code_signs(Salt.PRINTED_CODE, code.nonce, CODE_LENGTH, key)


def _code_signs(salt: Salt, nonce: str, length: int, key: str) -> str:
    number = int(signing.derive(salt, nonce, key), 16)
    return "".join(CODE_SIGNS[number >> (5 * place) & 31] for place in range(length))


def _printed_hash(signs: str, key: str | None = None) -> str:
    """Return a keyed hash, because brute force could find so short a code from a plain hash."""
    return signing.derive(Salt.PRINTED_CODE_HASH, signs, key)


def use_printed_code(written: str, origin: str, now: datetime) -> PrintedCode:
    """Return the valid printed code that a person typed. `origin` is a network address.

    Raise `KeyRefused` for a wrong code, and, after too many of them, for any code from that address
    for 10 minutes.
    """
    origin_hash = signing.derive(Salt.ORIGIN, origin)
    wrong = WrongCode.objects.filter(
        origin_hash=origin_hash, tried_at__gt=now - WRONG_PRINTED_CODES_WITHIN
    )
    if wrong.count() >= WRONG_PRINTED_CODES:
        raise KeyRefused(
            "Too many wrong codes from your network. Wait 10 minutes, then check your slip again."
        )
    characters = tidy_code(written)
    hashes = [_printed_hash(characters, key) for key in signing.every_key()]
    row = (
        PrintedCode.objects.select_related("person", "game")
        .filter(code_hash__in=hashes, revoked_at=None)
        .first()
    )
    if row is None or not row.person.is_active:
        WrongCode.objects.filter(tried_at__lt=now - timedelta(days=1)).delete()
        WrongCode.objects.create(origin_hash=origin_hash, tried_at=now)
        raise KeyRefused(
            f"“{written.strip()[:20]}” is not a code of any game. Enter the 8 characters on your"
            " slip, or ask your teacher."
        )
    PrintedCode.objects.filter(pk=row.pk).update(last_used_at=now)
    return row
