"""Create one row of each model of the desk, press and mail, for the tests of the admin."""

from __future__ import annotations

from typing import Any

from games import desk
from games.desk import votes
from games.models import (
    AccessToken,
    Act,
    Address,
    Announcement,
    Barring,
    Block,
    Call,
    Channel,
    Complaint,
    Erasure,
    Feed,
    Mute,
    Notebook,
    Notice,
    PersonNote,
    Press,
    PrintedCode,
    ProposalAnswer,
    RecoveryCode,
    ReplyAddress,
    ReportFile,
    Restoration,
    Ruling,
    Scenario,
    SecondFactor,
    Standby,
    Tally,
    WrongCode,
)
from games.press import deals
from orders.models import Handling, Mail
from tests.support.campaign import MONDAY, Campaign, person

#: Secrets that no page of the admin may show.
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
    "hash-of-a-token",
    "nonce-of-a-webhook",
    "chat.example/hooks",
    "lease-of-a-notice",
    "nonce-of-a-factor",
    "hash-of-a-recovery-code",
    "hash-of-whose-tally",
    "noted by gustav",
)
BETWEEN_NATIONS = "Let us share Poland, and tell nobody."


def write(campaign: Campaign) -> None:
    game, gustav, ada = campaign.game, person("gustav"), campaign.ada
    phase, germany = game.phases.get(number=1), campaign.seat("Germany")
    made: Any = {"made_by": ada, "made_at": MONDAY}
    of_gustav: Any = {"game": game, "person": gustav}
    what: Any = {"what": {"nation": "Russia", "points": 1}, "words": "One.", "reason": "So."}
    Ruling.objects.create(game=game, number=1, phase=phase, kind="points", made_at=MONDAY, **what)
    desk_acts: Any = {"kind": "note", "words": "Something was done.", "done_at": MONDAY}
    Act.objects.create(game=game, done_by=ada, **desk_acts)
    desk.announce(game, gustav, MONDAY.date(), MONDAY.date(), gustav, MONDAY)
    votes.cast(game, gustav, "draw", "", MONDAY)
    Notebook.objects.create(text="noted by gustav", saved_at=MONDAY, **of_gustav)
    Standby.objects.create(person=person("dana"), game=game, since=MONDAY)
    Call.objects.create(phase=phase, seat=germany, person=gustav, outcome="reached", **made)
    sent: Any = {"to": ["Russia"], "channel": "web", "sent_at": MONDAY, "seat": germany}
    press = Press.objects.create(number=1, text=BETWEEN_NATIONS, **sent, **of_gustav)
    PersonNote.objects.create(person=gustav, writer=ada, text="slow", by_operator=True)
    Barring.objects.create(email="eve@example.org", reason="Threats.", since=MONDAY)
    Announcement.objects.create(text="New disks on Sunday.", since=MONDAY)
    Block.objects.create(person=ada, blocked=gustav, press=press, since=MONDAY)
    Complaint.objects.create(press=press, person=ada, made_at=MONDAY)
    deal = deals.propose(
        game, germany, gustav, campaign.seat("Russia"), "PEACE Poland", channel="web", now=MONDAY
    )
    taken = ProposalAnswer.Kind.ACCEPTED
    deals.answer(deal, campaign.seat("Russia"), taken, person("rosa"), channel="web", now=MONDAY)
    keys = {"nonce": "nonce-of-an-address", "token_hash": "hash-of-an-address"}
    Address.objects.create(person=gustav, email="gustav@work.example", added_at=MONDAY, **keys)
    keys = {"nonce": "nonce-of-a-reply", "token_hash": "hash-of-a-reply"}
    ReplyAddress.objects.create(made_at=MONDAY, **of_gustav, **keys)
    Mute.objects.create(since=MONDAY, **of_gustav)
    to = "orders+keyofgustav123@example.org"
    raw = f"To: {to}\n\nPLACE 9 Rumania # nobody must know\n".encode()
    mail = Mail.objects.create(
        fingerprint="f" * 64, way="lmtp", envelope_to=[to], received_at=MONDAY, raw=raw
    )
    held = {"status": "held", "nonce": "nonce-of-a-link", "words": "Not proven."}
    Handling.objects.create(mail=mail, **of_gustav, **held)
    keys = {"nonce": "nonce-of-a-code", "code_hash": "hash-of-a-code"}
    PrintedCode.objects.create(**of_gustav, **made, **keys)
    WrongCode.objects.create(origin_hash="hash-of-an-origin", tried_at=MONDAY)
    keys = {"nonce": "nonce-of-a-feed", "token_hash": "hash-of-a-feed"}
    Feed.objects.create(person=gustav, made_at=MONDAY, **keys)
    AccessToken.objects.create(
        person=gustav, label="Bot", made_at=MONDAY, token_hash="hash-of-a-token"
    )
    where = {"kind": "discord", "url": "https://chat.example/hooks/1", "label": "Our chat"}
    channel = Channel.objects.create(game=game, added_by=ada, added_at=MONDAY, **where)
    nonce = "nonce-of-a-webhook"
    Channel.objects.create(
        person=gustav,
        kind="json",
        nonce=nonce,
        added_by=gustav,
        added_at=MONDAY,
        url="https://a.example/",
    )
    claim = "lease-of-a-notice"
    Notice.objects.create(channel=channel, key="begins:1", claim=claim, written_at=MONDAY)
    ReportFile.objects.create(
        phase=phase,
        person=ada,
        name="map.png",
        media_type="image/png",
        content=b"picture",
        added_at=MONDAY,
    )
    scenario: Any = {"title": "My own scenario", "card": {"name": "mine"}, "changed_at": MONDAY}
    Scenario.objects.create(owner=ada, name="mine", made_at=MONDAY, **scenario)
    Tally.objects.create(what="sent", whose="hash-of-whose-tally", since=MONDAY, number=3)
    charlie, nonce = person("charlie"), "nonce-of-a-factor"
    factor = SecondFactor.objects.create(person=charlie, nonce=nonce, begun_at=MONDAY)
    RecoveryCode.objects.create(factor=factor, code_hash="hash-of-a-recovery-code")
    Erasure.objects.create(person=person("dana"), erased_at=MONDAY, press=False)
    Restoration.objects.create(taken_at=MONDAY, restored_at=MONDAY, released_at=MONDAY)
