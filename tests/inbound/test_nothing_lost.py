"""Spoilt messages from the door to the answer: each is kept, each of a person is answered once,
none of a machine (issue 4, must show).

Ten thousand messages go the whole way here in a soak, through database, ledger and outbox; in every
run the first tenth of each share. Each share has a game and a seed of its own, so that they are
spread over all cores and any one can be repeated alone.
"""

from __future__ import annotations

import random
import re
from itertools import count

import pytest
from pytest_django import Settings

from games.letters import rendering
from games.models import Letter
from orders.inbound import queue
from orders.inbound.parsing.normalize import looks_like_order
from orders.models import Handling, Mail, Submission
from tests.support.campaign import Campaign
from tests.support.examples import WHOLE
from tests.support.stored import begun

from . import corpus, mutations, writing
from .test_fuzz import AUTOMATIC, GENUINE, NAMES
from .writing import address_of

pytestmark = pytest.mark.django_db
Status = Handling.Status
_numbers = count(1)
#: Messages a share, and shares: of those that people wrote, of automatic ones, and of any, spoilt
# anywhere.
A_SHARE = 200
GENUINE_SHARES, AUTOMATIC_SHARES, ANY_SHARES = 22, 14, 14


#: Their subject says “Out of office”: where no line is left below it that looks like an order,
# nobody could tell them from a machine's.
EMPTIED = ("ooo-by-hand",)


def messages() -> range:
    return range(A_SHARE if WHOLE else A_SHARE // 10)


def test_the_shares_are_ten_thousand_messages() -> None:
    assert A_SHARE * (GENUINE_SHARES + AUTOMATIC_SHARES + ANY_SHARES) >= 10_000


@pytest.fixture
def campaign(db: None, settings: Settings) -> Campaign:
    settings.MAIL_ANSWERS_AN_HOUR = settings.MAIL_OBEYED_AN_HOUR = 10_000
    settings.MAIL_IN = True
    return begun()


def of_gustav(raw: bytes) -> bytes:
    """A message of the corpus as if Gustav had written it just now."""
    head, body = (
        re.split(rb"\r?\n\r?\n", raw, maxsplit=1) if re.search(rb"\r?\n\r?\n", raw) else (raw, b"")
    )
    head = re.sub(
        rb"(?im)^(?:from|message-id|sender|reply-to|to)[ \t]*:.*(?:\r?\n[ \t].*)*(?:\r?\n|\Z)",
        b"",
        head + b"\r\n",
    )
    own = (
        "From: Gustav <gustav@example.org>\r\nMessage-ID:"
        f" <{next(_numbers)}@mail.example.org>\r\nTo: orders@games.test\r\n"
    )
    return own.encode() + head + b"\r\n" + body


def hand_in(campaign: Campaign, raw: bytes, to: str) -> Handling:
    row = writing.hand_in(campaign, raw, to, sender="gustav@example.org")
    # Kept byte for byte; but for headers alone that were spoilt in another way it is the same
    # message once more.
    assert bytes(row.mail.raw) == raw or row.mail.fingerprint == queue.fingerprint(raw, [to])
    return row


def test_every_genuine_message_of_the_corpus_is_answered_once(campaign: Campaign) -> None:
    to = address_of(campaign, "Germany")
    for name in GENUINE:
        row = hand_in(campaign, of_gustav(corpus.raw(name)), to)
        assert row.status == Status.DONE, (name, row.words, row.fault)
        assert row.answer is not None, (name, row.words)


@pytest.mark.parametrize("share", range(GENUINE_SHARES))
def test_every_genuine_message_is_answered_once_however_it_was_spoilt(
    campaign: Campaign, share: int
) -> None:
    rng, to = random.Random(f"genuine {share}"), address_of(campaign, "Germany")
    seen = set()
    for _ in messages():
        name = rng.choice(GENUINE)
        raw = mutations.in_the_body(rng, of_gustav(corpus.raw(name)))
        row = hand_in(campaign, raw, to)
        if name in EMPTIED and row.status == Status.IGNORED:
            assert not any(looks_like_order(line) for line in corpus.parsed(raw).text.split("\n"))
            continue
        assert row.status == Status.DONE, (name, row.status, row.words, row.fault)
        assert row.answer is not None, (name, row.words)
        assert row.answer.pk not in seen
        seen.add(row.answer.pk)
        rendered = rendering.render(row.answer)
        assert "\n" not in rendered.subject
        assert rendered.text.strip()
    assert Mail.objects.count() == len(messages())
    assert set(Submission.objects.values_list("seat__nation", flat=True)) <= {"Germany"}


@pytest.mark.parametrize("share", range(AUTOMATIC_SHARES))
def test_no_automatic_message_is_answered_however_it_was_spoilt(
    campaign: Campaign, share: int
) -> None:
    rng, to = random.Random(f"automatic {share}"), address_of(campaign, "Germany")
    by_other_signs = [
        name for name in AUTOMATIC if corpus.parsed(of_gustav(corpus.raw(name))).auto
    ]  # than that of its sender's name
    assert len(by_other_signs) >= 10
    kept = Mail.objects.count()
    for _ in messages():
        raw = of_gustav(mutations.in_the_body(rng, corpus.raw(rng.choice(by_other_signs))))
        row = hand_in(campaign, raw, to)
        assert row.answer is None, row.words
        assert row.status in (Status.IGNORED, Status.DONE)
    assert Mail.objects.count() == kept + len(messages())
    assert not Submission.objects.exists()
    to_gustav = Letter.objects.filter(address="gustav@example.org")
    assert not to_gustav.filter(kind__in=("answer", "confirm")).exists()


@pytest.mark.parametrize("share", range(ANY_SHARES))
def test_whatever_comes_ends_somewhere_and_orders_for_nobody_else(
    campaign: Campaign, share: int
) -> None:
    # Gustav writes most of the corpus.
    rng, to = random.Random(f"any {share}"), address_of(campaign, "France")
    for _ in messages():
        before = Submission.objects.count()
        spoilt = mutations.anywhere(rng, corpus.raw(rng.choice(NAMES)))
        row = hand_in(campaign, spoilt + b"%d" % next(_numbers), to)
        ended = (Status.IGNORED, Status.UNCONFIRMED, Status.DONE)
        assert row.status in ended, (row.words, row.fault)
        if row.sender != "felix@example.org":  # who wrote a few of them, and whose address it is
            assert Submission.objects.count() == before, row.words
    assert set(Submission.objects.values_list("seat__nation", flat=True)) <= {"France"}
    answers = Letter.objects.filter(kind__in=("answer", "word", "confirm"))
    # Another player of the game who wrote there is told that the address is not theirs.
    told = answers.exclude(address="felix@example.org")
    assert set(told.values_list("kind", flat=True)) <= {"word"}
    assert set(told.values_list("address", flat=True)) <= {"ada@example.org", "gustav@example.org"}
    assert not told.filter(about__icontains="felix").exists()
