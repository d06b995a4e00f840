"""One row of everything that desk, press and mail keep, for the tests of the admin."""

from __future__ import annotations

from games.models import Absence, Act, Address, Call, Mute, Press, ReplyAddress, Ruling, Standby
from orders.models import Handling, Mail
from tests.cast import MONDAY, Campaign, person

#: What no page of the admin may show.
SECRETS = ("nonce-of-an-address", "hash-of-an-address", "nonce-of-a-reply", "hash-of-a-reply", "keyofgustav123", "nonce-of-a-link")
BETWEEN_NATIONS = "Let us share Poland, and tell nobody."


def write(campaign: Campaign) -> None:
    game, gustav, ada = campaign.game, person("gustav"), campaign.ada
    phase, germany = game.phases.get(number=1), campaign.seat("Germany")
    Ruling.objects.create(
        game=game, number=1, phase=phase, kind="points", what={"nation": "Russia", "points": 1}, words="One.", reason="So.", made_at=MONDAY
    )
    Act.objects.create(game=game, kind="note", words="Something was done.", done_by=ada, done_at=MONDAY)
    Absence.objects.create(game=game, person=gustav, first=MONDAY.date(), last=MONDAY.date(), entered_by=gustav, entered_at=MONDAY)
    Standby.objects.create(person=person("dana"), game=game, since=MONDAY)
    Call.objects.create(phase=phase, seat=germany, person=gustav, outcome="reached", made_by=ada, made_at=MONDAY)
    Press.objects.create(
        game=game, number=1, seat=germany, person=gustav, to=["Russia"], text=BETWEEN_NATIONS, channel="web", sent_at=MONDAY
    )
    Address.objects.create(
        person=gustav, email="gustav@work.example", nonce="nonce-of-an-address", token_hash="hash-of-an-address", added_at=MONDAY
    )
    ReplyAddress.objects.create(person=gustav, game=game, nonce="nonce-of-a-reply", token_hash="hash-of-a-reply", made_at=MONDAY)
    Mute.objects.create(person=gustav, game=game, since=MONDAY)
    mail = Mail.objects.create(
        fingerprint="f" * 64, way="lmtp", envelope_to=["orders+keyofgustav123@example.org"], received_at=MONDAY,
        raw=b"To: orders+keyofgustav123@example.org\n\nPLACE 9 Rumania # nobody must know\n",
    )  # fmt: skip
    Handling.objects.create(mail=mail, status="held", game=game, person=gustav, nonce="nonce-of-a-link", words="Not proven.")
