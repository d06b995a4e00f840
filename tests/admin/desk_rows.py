"""One row of everything that desk, press and mail keep, for the tests of the admin."""

from __future__ import annotations

from games.models import (
    Absence,
    Act,
    Address,
    Call,
    Channel,
    Erasure,
    Feed,
    Mute,
    Notice,
    Press,
    PrintedCode,
    RecoveryCode,
    ReplyAddress,
    Restoration,
    Ruling,
    SecondFactor,
    Sheet,
    Standby,
    Tally,
    WrongCode,
)
from orders.models import Handling, Mail
from tests.support.cast import MONDAY, Campaign, person

#: What no page of the admin may show.
SECRETS = (
    "nonce-of-an-address",
    "hash-of-an-address",
    "nonce-of-a-reply",
    "hash-of-a-reply",
    "keyofgustav123",
    "nonce-of-a-link",
    "nonce-of-a-code",
    "hash-of-a-code",
    "hash-of-an-origin",
    "nonce-of-a-feed",
    "hash-of-a-feed",
    "chat.example/hooks",
    "lease-of-a-notice",
    "nonce-of-a-factor",
    "hash-of-a-recovery-code",
    "hash-of-whose-tally",
)
BETWEEN_NATIONS = "Let us share Poland, and tell nobody."


def write(campaign: Campaign) -> None:
    game, gustav, ada = campaign.game, person("gustav"), campaign.ada
    phase, germany = game.phases.get(number=1), campaign.seat("Germany")
    Ruling.objects.create(
        game=game,
        number=1,
        phase=phase,
        kind="points",
        what={"nation": "Russia", "points": 1},
        words="One.",
        reason="So.",
        made_at=MONDAY,
    )
    Act.objects.create(
        game=game, kind="note", words="Something was done.", done_by=ada, done_at=MONDAY
    )
    Absence.objects.create(
        game=game,
        person=gustav,
        first=MONDAY.date(),
        last=MONDAY.date(),
        entered_by=gustav,
        entered_at=MONDAY,
    )
    Standby.objects.create(person=person("dana"), game=game, since=MONDAY)
    Call.objects.create(
        phase=phase, seat=germany, person=gustav, outcome="reached", made_by=ada, made_at=MONDAY
    )
    Press.objects.create(
        game=game,
        number=1,
        seat=germany,
        person=gustav,
        to=["Russia"],
        text=BETWEEN_NATIONS,
        channel="web",
        sent_at=MONDAY,
    )
    Address.objects.create(
        person=gustav,
        email="gustav@work.example",
        nonce="nonce-of-an-address",
        token_hash="hash-of-an-address",
        added_at=MONDAY,
    )
    ReplyAddress.objects.create(
        person=gustav,
        game=game,
        nonce="nonce-of-a-reply",
        token_hash="hash-of-a-reply",
        made_at=MONDAY,
    )
    Mute.objects.create(person=gustav, game=game, since=MONDAY)
    mail = Mail.objects.create(
        fingerprint="f" * 64,
        way="lmtp",
        envelope_to=["orders+keyofgustav123@example.org"],
        received_at=MONDAY,
        raw=b"To: orders+keyofgustav123@example.org\n\nPLACE 9 Rumania # nobody must know\n",
    )
    Handling.objects.create(
        mail=mail,
        status="held",
        game=game,
        person=gustav,
        nonce="nonce-of-a-link",
        words="Not proven.",
    )
    PrintedCode.objects.create(
        person=gustav,
        game=game,
        nonce="nonce-of-a-code",
        code_hash="hash-of-a-code",
        made_by=ada,
        made_at=MONDAY,
    )
    WrongCode.objects.create(origin_hash="hash-of-an-origin", tried_at=MONDAY)
    Feed.objects.create(
        person=gustav, nonce="nonce-of-a-feed", token_hash="hash-of-a-feed", made_at=MONDAY
    )
    channel = Channel.objects.create(
        game=game,
        kind="discord",
        url="https://chat.example/hooks/1",
        label="Our chat",
        added_by=ada,
        added_at=MONDAY,
    )
    Notice.objects.create(
        channel=channel, key="begins:1", claim="lease-of-a-notice", written_at=MONDAY
    )
    Sheet.objects.create(
        owner=ada,
        name="mine",
        title="My own sheet",
        card={"name": "mine"},
        made_at=MONDAY,
        changed_at=MONDAY,
    )
    Tally.objects.create(what="sent", whose="hash-of-whose-tally", since=MONDAY, number=3)
    factor = SecondFactor.objects.create(
        person=person("charlie"), nonce="nonce-of-a-factor", begun_at=MONDAY
    )
    RecoveryCode.objects.create(factor=factor, code_hash="hash-of-a-recovery-code")
    Erasure.objects.create(person=person("dana"), erased_at=MONDAY, press=False)
    Restoration.objects.create(taken_at=MONDAY, restored_at=MONDAY, released_at=MONDAY)
