"""Damaged messages from receipt to answer.

Each is stored, each of a person is answered once, and no automatic one is answered (issue 4, must
show). A soak sends ten thousand messages through database, ledger and outbox; other runs send the
first tenth of a few shares. Each share has its own game and seed, so that shares run on all cores
and can be repeated alone.
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
from orders.inbound.parsing.quoting import own_words
from orders.models import Handling, Mail, Submission
from tests.support.campaign import Campaign
from tests.support.examples import WHOLE, sample

from . import corpus, mutations, writing
from .test_fuzz import AUTOMATIC, EMPTIED, GENUINE, NAMES
from .writing import address_of

pytestmark = [pytest.mark.django_db, pytest.mark.letters]
Status = Handling.Status
_numbers = count(1)
#: Messages per share, and the number of shares: written by people, automatic, and of any kind
# with damage anywhere.
A_SHARE = 200
GENUINE_SHARES, AUTOMATIC_SHARES, ANY_SHARES = 22, 14, 14


def messages() -> range:
    return range(A_SHARE if WHOLE else A_SHARE // 10)


def test_shares_add_up_to_ten_thousand_messages() -> None:
    assert A_SHARE * (GENUINE_SHARES + AUTOMATIC_SHARES + ANY_SHARES) >= 10_000


@pytest.fixture
def campaign(db: None, settings: Settings) -> Campaign:
    settings.MAIL_ANSWERS_AN_HOUR = settings.MAIL_OBEYED_AN_HOUR = 10_000
    settings.MAIL_IN = True
    return Campaign.begin()


def of_gustav(raw: bytes) -> bytes:
    """Return a message of the corpus as if Gustav had just written it."""
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
    # Stored byte for byte, unless only its headers were damaged: then it equals a message
    # stored before.
    assert bytes(row.mail.raw) == raw or row.mail.fingerprint == queue.fingerprint(raw, [to])
    return row


def says_nothing(row: Handling) -> bool:
    """Return whether a message was found to be a click, or without any line like an order.

    Such messages are answered once a day at most.
    """
    if row.kind != "no order" and not (
        row.status == Status.IGNORED and corpus.parsed(bytes(row.mail.raw)).clicked
    ):
        return False
    own = own_words(corpus.parsed(bytes(row.mail.raw)).text).text
    assert not any(looks_like_order(line) for line in own.split("\n")), own
    return True


def test_genuine_corpus_messages_are_answered_once(campaign: Campaign) -> None:
    to = address_of(campaign, "Germany")
    for name in GENUINE:
        row = hand_in(campaign, of_gustav(corpus.raw(name)), to)
        if says_nothing(row):
            expected = corpus.EXPECTED[name]
            assert expected.get("clicked") or not expected.get("near", True), name
            continue
        assert row.status == Status.DONE, (name, row.words, row.fault)
        assert row.answer is not None, (name, row.words)


@pytest.mark.both_databases
@pytest.mark.parametrize("share", sample(range(GENUINE_SHARES), 4))
def test_damaged_genuine_messages_are_answered_once(campaign: Campaign, share: int) -> None:
    rng, to = random.Random(f"genuine {share}"), address_of(campaign, "Germany")
    answer_pks = set()
    for _ in messages():
        name = rng.choice(GENUINE)
        raw = mutations.in_the_body(rng, of_gustav(corpus.raw(name)))
        row = hand_in(campaign, raw, to)
        if name in EMPTIED and row.status == Status.IGNORED:
            assert not any(looks_like_order(line) for line in corpus.parsed(raw).text.split("\n"))
            continue
        if says_nothing(row):
            continue
        assert row.status == Status.DONE, (name, row.status, row.words, row.fault)
        assert row.answer is not None, (name, row.words)
        assert row.answer.pk not in answer_pks
        answer_pks.add(row.answer.pk)
        rendered = rendering.render(row.answer)
        assert "\n" not in rendered.subject
        assert rendered.text.strip()
    assert Mail.objects.count() == len(messages())
    assert set(Submission.objects.values_list("seat__nation", flat=True)) <= {"Germany"}


@pytest.mark.parametrize("share", sample(range(AUTOMATIC_SHARES), 3))
def test_damaged_automatic_messages_are_not_answered(campaign: Campaign, share: int) -> None:
    rng, to = random.Random(f"automatic {share}"), address_of(campaign, "Germany")
    by_other_signs = [
        name for name in AUTOMATIC if corpus.parsed(of_gustav(corpus.raw(name))).auto
    ]  # automatic by other signs than the sender's name
    assert len(by_other_signs) >= 10
    stored_before = Mail.objects.count()
    for _ in messages():
        raw = of_gustav(mutations.in_the_body(rng, corpus.raw(rng.choice(by_other_signs))))
        row = hand_in(campaign, raw, to)
        assert row.answer is None, row.words
        assert row.status in (Status.IGNORED, Status.DONE)
    assert Mail.objects.count() == stored_before + len(messages())
    assert not Submission.objects.exists()
    to_gustav = Letter.objects.filter(address="gustav@example.org")
    assert not to_gustav.filter(kind__in=("answer", "confirm")).exists()


@pytest.mark.parametrize("share", sample(range(ANY_SHARES), 3))
def test_damaged_messages_give_no_orders_for_others(campaign: Campaign, share: int) -> None:
    # Gustav is the sender of most of the corpus.
    rng, to = random.Random(f"any {share}"), address_of(campaign, "France")
    for _ in messages():
        before = Submission.objects.count()
        spoilt = mutations.anywhere(rng, corpus.raw(rng.choice(NAMES)))
        row = hand_in(campaign, spoilt + b"%d" % next(_numbers), to)
        # Refused: damage has put two senders into it.
        ended = (Status.IGNORED, Status.UNCONFIRMED, Status.DONE, Status.REFUSED)
        assert row.status in ended, (row.words, row.fault)
        if row.sender != "felix@example.org":  # sender of a few of them, and owner of the address
            assert Submission.objects.count() == before, row.words
    assert set(Submission.objects.values_list("seat__nation", flat=True)) <= {"France"}
    answers = Letter.objects.filter(kind__in=("answer", "word", "confirm"))
    # Other players of the game are told that the address is not theirs.
    to_others = answers.exclude(address="felix@example.org")
    assert set(to_others.values_list("kind", flat=True)) <= {"word"}
    assert set(to_others.values_list("address", flat=True)) <= {
        "ada@example.org",
        "gustav@example.org",
    }
    assert not to_others.filter(about__icontains="felix").exists()
