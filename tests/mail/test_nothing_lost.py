"""Spoilt messages from the door to the answer: each is kept, each of a person is answered once, none of a machine (issue 4, must show).

The ten thousand of test_fuzz.py are read alone; these go the whole way, through database, ledger and outbox.
"""

from __future__ import annotations

import random
import re
from itertools import count

import pytest
from pytest_django import Settings

from games.models import Letter
from games.post import rendering
from orders.mail import intake
from orders.models import Handling, Mail, Submission
from tests.cast import Campaign

from . import corpus, mutations
from .test_fuzz import AUTOMATIC, GENUINE, NAMES
from .writing import address_of

pytestmark = pytest.mark.django_db
Status = Handling.Status
_numbers = count(1)


@pytest.fixture
def campaign(db: None, settings: Settings) -> Campaign:
    settings.MAIL_ANSWERS_AN_HOUR = settings.MAIL_OBEYED_AN_HOUR = 10_000
    settings.MAIL_IN = True
    return Campaign.begin()


def of_gustav(raw: bytes) -> bytes:
    """A message of the corpus as if Gustav had written it just now."""
    head, body = re.split(rb"\r?\n\r?\n", raw, maxsplit=1) if re.search(rb"\r?\n\r?\n", raw) else (raw, b"")
    head = re.sub(rb"(?im)^(?:from|message-id|sender|reply-to|to)[ \t]*:.*(?:\r?\n[ \t].*)*(?:\r?\n|\Z)", b"", head + b"\r\n")
    own = f"From: Gustav <gustav@example.org>\r\nMessage-ID: <{next(_numbers)}@mail.example.org>\r\nTo: orders@games.test\r\n"
    return own.encode() + head + b"\r\n" + body


def hand_in(campaign: Campaign, raw: bytes, to: str) -> Handling:
    mail = intake.take_in(raw, way="lmtp", envelope_from="gustav@example.org", envelope_to=[to], now=campaign.now)
    assert bytes(mail.raw) == raw
    return Handling.objects.select_related("answer__game", "answer__person", "answer__phase").get(mail=mail)


def test_every_genuine_message_is_answered_once_however_it_was_spoilt(campaign: Campaign) -> None:
    rng, to = random.Random(1979), address_of(campaign, "Germany")
    seen = set()
    for turn in range(160):
        name = GENUINE[turn % len(GENUINE)]
        raw = of_gustav(corpus.raw(name))
        row = hand_in(campaign, raw if turn < len(GENUINE) else mutations.in_the_body(rng, raw), to)
        assert row.status == Status.DONE, (name, row.status, row.words, row.fault)
        assert row.answer is not None, (name, row.words)
        assert row.answer.pk not in seen
        seen.add(row.answer.pk)
        rendered = rendering.render(row.answer)
        assert "\n" not in rendered.subject
        assert rendered.text.strip()
    assert Mail.objects.count() == len(seen)
    assert set(Submission.objects.values_list("seat__nation", flat=True)) <= {"Germany"}


def test_no_automatic_message_is_answered_however_it_was_spoilt(campaign: Campaign) -> None:
    rng, to = random.Random(1980), address_of(campaign, "Germany")
    by_other_signs = [name for name in AUTOMATIC if corpus.parsed(of_gustav(corpus.raw(name))).auto]  # than that of its sender's name
    assert len(by_other_signs) >= 10
    for _ in range(80):
        raw = of_gustav(mutations.in_the_body(rng, corpus.raw(rng.choice(by_other_signs))))
        row = hand_in(campaign, raw, to)
        assert row.answer is None, row.words
        assert row.status in (Status.IGNORED, Status.DONE)
    assert not Submission.objects.exists()
    assert Letter.objects.filter(address="gustav@example.org", kind__in=("answer", "confirm")).count() == 0


def test_whatever_comes_ends_somewhere_and_orders_for_nobody_else(campaign: Campaign) -> None:
    rng, to = random.Random(1981), address_of(campaign, "France")  # Gustav writes most of the corpus
    for _ in range(120):
        row = hand_in(campaign, mutations.anywhere(rng, corpus.raw(rng.choice(NAMES))) + b"%d" % next(_numbers), to)
        assert row.status in (Status.IGNORED, Status.UNCONFIRMED, Status.DONE), (row.words, row.fault)
    assert not Submission.objects.exists()
    assert set(Letter.objects.filter(kind__in=("answer", "word", "confirm")).values_list("address", flat=True)) <= {"felix@example.org"}
