"""Keys that prove that a letter reached its reader: logins by link or code, invitations, and the
addresses that letters are answered to.

A key is computed from a random nonce with the service's secret and stored only as a hash, so
neither the outbox nor a copy of the database lets anybody in. A letter that holds a key computes it
when it is rendered.
"""

from __future__ import annotations

import base64
import hmac
import re
import secrets
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Protocol

from django.conf import settings
from django.db import transaction

from games.models import (
    Address,
    Game,
    Invitation,
    Letter,
    LoginKey,
    Person,
    PrintedCode,
    ReplyAddress,
    Seat,
    WrongCode,
)
from games.models.people import tidy_address

LOGIN_LASTS = timedelta(minutes=30)
INVITATION_LASTS = timedelta(days=60)
#: So many unused login letters of one person are good at once.
LOGINS_OPEN = 5
#: Letters and digits that nobody takes for another, neither in print nor read out: 5 bits each.
CODE_SIGNS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
LOGIN_CODE_LENGTH = 10
NO_LONGER = "This invitation no longer stands. Ask the gamesmaster for a new one."


class Nonced(Protocol):
    """A row with a nonce of its own: `orders.models.Handling`, which this module cannot import."""

    pk: Any
    nonce: Any


class KeyRefused(Exception):
    """A key that opens nothing. `str()` is one sentence for the person who used it."""


def _derive(purpose: str, nonce: str) -> str:
    return hmac.new(settings.SECRET_KEY.encode(), f"{purpose}:{nonce}".encode(), sha256).hexdigest()


def _hash(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()


def _same(key: str, given: str) -> bool:
    """Compare in constant time; as bytes, because what was given need not be ASCII."""
    return hmac.compare_digest(key.encode(), given.encode(errors="replace"))


def login_token(key: LoginKey) -> str:
    """What the link of a login letter ends with."""
    return _derive("login", key.nonce)[:40]


def login_code(key: LoginKey) -> str:
    """Return the code of a login letter, to be typed elsewhere: two groups of five, 50 bits."""
    signs = _code_signs("login-code", key.nonce, LOGIN_CODE_LENGTH)
    return f"{signs[:5]}-{signs[5:]}"


def tidy_code(written: str) -> str:
    """Return a code as it is compared: capital letters and digits alone."""
    return "".join(sign for sign in written.upper() if sign.isalnum())[:40]


def new_login(person: Person, next_page: str, now: datetime) -> LoginKey:
    """Make a key for a login within half an hour. Raises `KeyRefused` at `LOGINS_OPEN` unused ones.

    Earlier keys stay good, so that a stranger who asks in somebody's name cannot lock them out.
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
    key.token_hash = _hash(login_token(key))
    key.code_hash = _login_code_hash(login_code(key))
    key.save()
    return key


def find_login(token: str, now: datetime) -> LoginKey:
    """The key behind a link, still good. Looking does not use it up: mail scanners follow links."""
    key = LoginKey.objects.select_related("person").filter(token_hash=_hash(token)).first()
    if key is None or key.used_at is not None or key.expires_at <= now or not key.person.is_active:
        raise KeyRefused("This login link has been used or has run out. Ask for a new one.")
    return key


def use_login(key: LoginKey, now: datetime) -> Person:
    """Uses the key up and gives the person. Of two who use it at once only one gets in."""
    if (
        LoginKey.objects.filter(pk=key.pk, used_at=None, expires_at__gt=now).update(used_at=now)
        != 1
    ):
        raise KeyRefused("This login link has been used or has run out. Ask for a new one.")
    return key.person


def use_code(email: str, code: str, now: datetime) -> Person:
    """Log in by the code of any letter that is still good. Raises `KeyRefused`.

    Wrong codes are counted by the network address they come from (`limits.WRONG_CODES_HERE`), never
    by the account: whoever counted them there would let a stranger lock its owner out. Guessing
    stays hopeless without, for a code has 50 bits and half an hour. One network has 60 tries in 10
    minutes, 3.2 million a year: if 5 letters are always open, 1 chance in 70 million a year. 1,000
    guesses a second from any number of networks, which is more than the service answers, have 1
    chance in 7,000 a year.
    """
    unused = LoginKey.objects.filter(
        person__email=tidy_address(email), person__is_active=True, used_at=None, expires_at__gt=now
    )
    key = unused.select_related("person").filter(code_hash=_login_code_hash(code)).first()
    if key is None:
        raise KeyRefused(
            "That code does not fit a letter to this address, or it has run out. Look again, or ask"
            " for a new one."
        )
    return use_login(key, now)


def _login_code_hash(code: str) -> str:
    """Return a keyed hash: so short a code could be found by trying from a plain one."""
    return _derive("login-code-hash", tidy_code(code))


def invitation_token(invitation: Invitation) -> str:
    return _derive("invitation", invitation.nonce)[:40]


def join_token(game: Game) -> str:
    """Return the key of the link that a gamesmaster shares: who has it may take a free seat.

    It is another one for each `Game.join_link`.
    """
    number = f":{game.join_link}" if game.join_link else ""
    return _derive("join", f"{game.pk}:{game.opened_at.isoformat()}{number}")[:40]


def is_join(token: str, game: Game) -> bool:
    return _same(join_token(game), token)


def request_token(number: int) -> str:
    """Return the key of a letter that asks somebody to run a game: the act's number and proof."""
    return f"{number}-{_derive('request', str(number))[:40]}"


def request_number(token: str) -> int:
    """Return the act that a key is about, proven or not; 0 of anything else."""
    number = token.partition("-")[0]
    return int(number) if re.fullmatch(r"[0-9]{1,18}", number) else 0


def is_request(token: str, number: int) -> bool:
    return _same(request_token(number), token)


def new_invitation(seat: Seat, email: str, invited_by: Person, now: datetime) -> Invitation:
    """Write an invitation to a seat; outside a team, withdraw earlier open ones."""
    if not seat.team:
        Invitation.objects.open().filter(seat=seat).update(withdrawn_at=now)
    invitation = Invitation(
        seat=seat,
        email=tidy_address(email),
        invited_by=invited_by,
        nonce=secrets.token_hex(32),
        invited_at=now,
    )
    invitation.token_hash = _hash(invitation_token(invitation))
    invitation.save()
    return invitation


def find_invitation(token: str, now: datetime) -> Invitation:
    """The invitation behind a link, if it still stands."""
    invitation = (
        Invitation.objects.select_related("seat__game", "invited_by")
        .filter(token_hash=_hash(token))
        .first()
    )
    if invitation is None or not is_open(invitation, now):
        raise KeyRefused(NO_LONGER)
    return invitation


def is_open(invitation: Invitation, now: datetime) -> bool:
    """Whether an invitation has neither been withdrawn nor run out."""
    return invitation.withdrawn_at is None and now < invitation.invited_at + INVITATION_LASTS


# --- the addresses that letters are answered to ---

#: A reply address's key: what it is, then 128 bits in letters that survive a mail server that
# changes case.
REPLY_KEY = re.compile(r"r[a-z2-7]{26}")
BOUNCE_KEY = re.compile(r"b(\d{1,18})-([0-9a-f]{16})")
#: Of a letter that asks for a yes: i an invitation, c a message to be confirmed, a an address to
# be confirmed; then the row's number.
ASKING_KEY = re.compile(r"([ica])(\d{1,18})-[0-9a-f]{32}")


def reply_token(reply: ReplyAddress) -> str:
    """The key in a reply address: `r` and 26 small letters and digits."""
    return (
        "r"
        + base64.b32encode(bytes.fromhex(_derive("reply", reply.nonce))[:16])
        .decode()
        .rstrip("=")
        .lower()
    )


def reply_address(
    person: Person, game: Game, now: datetime, reply: ReplyAddress | None = None
) -> str:
    """Return `orders+<key>@domain`, where this person answers letters about this game.

    Make one when first needed, and again when the service's secret has changed since. `reply` is
    the row, where the caller has it already.
    """
    reply = reply or valid_reply(person, game)
    if reply is None:
        reply = _new_reply(person, game, now)
    elif _hash(reply_token(reply)) != reply.token_hash:
        reply = renew_reply(person, game, now)
    return plus(settings.MAIL_REPLY, reply_token(reply))


def valid_reply(person: Person, game: Game) -> ReplyAddress | None:
    return ReplyAddress.objects.filter(person=person, game=game, ended_at=None).first()


def plus(address: str, key: str) -> str:
    """`orders+key@domain` of `orders@domain`."""
    local, _, domain = address.rpartition("@")
    return f"{local}+{key}@{domain}"


def _new_reply(person: Person, game: Game, now: datetime) -> ReplyAddress:
    """Of two that make one at once, one does: the row of whoever came first serves both."""
    reply = ReplyAddress(person=person, game=game, nonce=secrets.token_hex(32), made_at=now)
    reply.token_hash = _hash(reply_token(reply))
    ReplyAddress.objects.bulk_create([reply], ignore_conflicts=True)
    return ReplyAddress.objects.get(person=person, game=game, ended_at=None)


def find_reply(token: str) -> ReplyAddress | None:
    """The reply address with this key, if it has not been ended."""
    if not REPLY_KEY.fullmatch(token.lower()):
        return None
    standing = ReplyAddress.objects.filter(token_hash=_hash(token.lower()), ended_at=None)
    return standing.select_related("person", "game").first()


def renew_reply(person: Person, game: Game, now: datetime) -> ReplyAddress:
    """End a reply address that others know, and make another. Letters sent keep the old one."""
    with transaction.atomic():
        ReplyAddress.objects.filter(person=person, game=game, ended_at=None).update(ended_at=now)
        return _new_reply(person, game, now)


def asking_token(kind: str, row: Invitation | Address | Nonced) -> str:
    """Return the key in the reply address of a letter that asks for a yes. It opens no link."""
    return f"{kind}{row.pk}-{_derive(f'answer-{kind}', row.nonce)[:32]}"


def is_asking(token: str, kind: str, row: Invitation | Address | Nonced) -> bool:
    return bool(row.nonce) and _same(asking_token(kind, row), token.lower())


def mute_token(reply: ReplyAddress) -> str:
    """What the address ends with under which a reader asks for no more letters of a game."""
    return _derive("mute", reply.nonce)[:40]


def find_mute(game: Game, token: str) -> ReplyAddress | None:
    """Return whose letters an address is about; ended reply addresses can still stop letters."""
    for reply in ReplyAddress.objects.filter(game=game).select_related("person"):
        if _same(mute_token(reply), token):
            return reply
    return None


def bounce_token(letter: Letter) -> str:
    """What tells, in the address that a letter is returned to, which letter it was."""
    return f"b{letter.pk}-{_derive('bounce', letter.message_id)[:16]}"


def find_bounced(token: str) -> Letter | None:
    """The letter that was returned to an address with this key."""
    match = BOUNCE_KEY.fullmatch(token.lower())
    letter = Letter.objects.filter(pk=int(match[1])).first() if match else None
    return letter if letter is not None and _same(bounce_token(letter), token.lower()) else None


# --- further addresses, and letters that are obeyed once their sender has confirmed them ---


def new_nonce(purpose: str) -> tuple[str, str]:
    """A nonce, and the hash of the key that is computed from it for a purpose: what a row keeps."""
    nonce = secrets.token_hex(32)
    return nonce, _hash(key_of(purpose, nonce))


def key_of(purpose: str, nonce: str) -> str:
    """The key of a nonce, for the letter that takes it to its reader."""
    return _derive(purpose, nonce)[:40]


def signing_key(purpose: str, nonce: str) -> bytes:
    """Return the 32 bytes that sign for a purpose."""
    return bytes.fromhex(_derive(purpose, nonce))


def hash_of(key: str) -> str:
    """Under which a key's row is found."""
    return _hash(key)


def address_token(address: Address) -> str:
    return key_of("address", address.nonce)


# --- codes on slips of paper, for a class (games.desk.classroom) ---

CODE_LENGTH = 8
WRONG_PRINTED_CODES = 60  # from one address, behind which a whole school may sit
WRONG_PRINTED_CODES_WITHIN = timedelta(minutes=10)


def new_printed_code(person: Person, game: Game, made_by: Person, now: datetime) -> PrintedCode:
    """A code for a pupil; his earlier one for this game is ended."""
    PrintedCode.objects.filter(person=person, game=game, revoked_at=None).update(revoked_at=now)
    code = PrintedCode(
        person=person, game=game, nonce=secrets.token_hex(32), made_by=made_by, made_at=now
    )
    code.code_hash = _printed_hash(_printed_signs(code))
    code.save()
    return code


def printed_code(code: PrintedCode) -> str:
    """As it stands on the slip: two groups of four signs."""
    signs = _printed_signs(code)
    return f"{signs[:4]}-{signs[4:]}"


def _printed_signs(code: PrintedCode) -> str:
    return _code_signs("printed-code", code.nonce, CODE_LENGTH)


def _code_signs(purpose: str, nonce: str, length: int) -> str:
    number = int(_derive(purpose, nonce), 16)
    return "".join(CODE_SIGNS[number >> (5 * place) & 31] for place in range(length))


def _printed_hash(signs: str) -> str:
    """Return a keyed hash: so short a code could be found by trying from a plain one."""
    return _derive("printed-code-hash", signs)


def use_printed_code(written: str, origin: str, now: datetime) -> PrintedCode:
    """Return the code that somebody typed in, if it opens a game. `origin` is a network address.

    Raises `KeyRefused`; after too many wrong ones from an address nothing is looked at for a while.
    """
    origin_hash = _derive("origin", origin)
    wrong = WrongCode.objects.filter(
        origin_hash=origin_hash, tried_at__gt=now - WRONG_PRINTED_CODES_WITHIN
    )
    if wrong.count() >= WRONG_PRINTED_CODES:
        raise KeyRefused(
            "Too many codes were typed in wrongly from here. Wait ten minutes, and look at the slip"
            " once more."
        )
    signs = tidy_code(written)
    found = (
        PrintedCode.objects.select_related("person", "game")
        .filter(code_hash=_printed_hash(signs), revoked_at=None)
        .first()
    )
    if found is None or not found.person.is_active:
        WrongCode.objects.filter(tried_at__lt=now - timedelta(days=1)).delete()
        WrongCode.objects.create(origin_hash=origin_hash, tried_at=now)
        raise KeyRefused(
            f"“{written.strip()[:20]}” opens no game. Type the eight signs as they stand on your"
            " slip, or ask your teacher."
        )
    PrintedCode.objects.filter(pk=found.pk).update(last_used_at=now)
    return found
