"""The order in which people wrote decides, not the order in which mail comes (issue 6 and 7).

reviews/mail/FAULTS.md F3: greylists delay by hours, and a CANCEL three hours old took back orders
that were five minutes old.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from email.utils import format_datetime

import pytest

from games.accounts import tokens
from games.models import DeadlineChange, Letter, Motion
from games.positions import in_force as orders_in_force
from orders.intake import ahead
from orders.models import Handling, Submission
from tests.inbound.writing import address_of, hand_in, send, written
from tests.support.campaign import Campaign, person
from tests.support.letters import letter_text

pytestmark = [pytest.mark.django_db, pytest.mark.letters]

HOURS = timedelta(hours=1)
MINUTES = timedelta(minutes=1)


@pytest.fixture
def campaign(db: None) -> Campaign:
    """Return a game with deadlines far enough away for mail that is hours late."""
    return Campaign.begin(schedule={"every": "minutes", "minutes": 600})


def deliver(
    campaign: Campaign,
    text: str,
    *,
    wrote: datetime | None,
    came: datetime,
    hop: datetime | None = None,
    answers: Letter | None = None,
    nation: str = "Germany",
) -> Handling:
    """Deliver a message with this Date, first taken by a server at `hop`, the Date if None."""
    to = address_of(campaign, nation)
    headers = {"In-Reply-To": answers.message_id} if answers is not None else {}
    headers["Date"] = format_datetime(wrote or came)
    raw = written(campaign.players[nation].email, to, text, **headers)
    if wrote is None:
        head, _, rest = raw.partition(b"Date: ")
        raw = head + rest.partition(b"\n")[2]
    chain = "Received: from mail.example.org by mx.games.test with ESMTPS; {}\n"
    first = "Received: from [192.168.1.5] by mail.example.org with ESMTPSA; {}\n"
    hop = hop or wrote
    assert hop is not None
    received = chain.format(format_datetime(came)) + first.format(format_datetime(hop))
    return hand_in(campaign, received.encode() + raw, to, at=came)


def in_force(campaign: Campaign, nation: str = "Germany") -> str:
    standing = orders_in_force.in_force(campaign.phase).get(nation)
    return standing.text.strip() if standing else ""


def answer_text(row: Handling) -> str:
    assert row.answer is not None
    return " ".join(letter_text(row.answer).split())


@pytest.mark.parametrize("text", ["PLACE 10 Rhineland\n", "CANCEL\n", "NOT FINAL\n"])
@pytest.mark.parametrize("page", [True, False])
def test_older_mail_that_comes_later_changes_nothing(
    campaign: Campaign, text: str, page: bool
) -> None:
    """The orders in force may have come by page (when received) or mail (when written)."""
    start = campaign.now
    if page:
        campaign.order("Germany", "PLACE 4 Italy", at=start + 175 * MINUTES)
    else:
        wrote = start + 175 * MINUTES
        deliver(campaign, "PLACE 4 Italy\n", wrote=wrote, came=wrote + MINUTES)
    row = deliver(campaign, text, wrote=start, came=start + 3 * HOURS)
    assert in_force(campaign) == "PLACE 4 Italy"
    assert Submission.objects.count() == 1
    told = answer_text(row)
    assert "written Mon 16 Nov, 17:00 UTC, changed" in told
    assert "No. 1 of Mon 16 Nov, 19:55 UTC is newer" in told
    assert "If you still want it, answer this letter with it." in told


def test_older_orders_do_not_come_back_after_a_newer_cancel(campaign: Campaign) -> None:
    start = campaign.now
    campaign.order("Germany", "PLACE 4 Italy", at=start)
    deliver(campaign, "CANCEL\n", wrote=start + 2 * HOURS, came=start + 2 * HOURS)
    deliver(campaign, "PLACE 9 Italy\n", wrote=start + HOURS, came=start + 3 * HOURS)
    assert in_force(campaign) == ""


@pytest.mark.parametrize(
    ("wrote", "hop", "came", "counts"),
    [
        (60, 60, 61, True),  # delivered in seconds
        (52, 52, 61, True),  # a clock that is wrong by minutes, or mail that crossed
        (48, 58, 61, False),  # ten minutes in an outbox: the page was newer
        (-300, 58, 61, True),  # a clock wrong by hours: the chain is right
        (900, 58, 61, True),  # a clock ahead by hours
        (900, 20, 61, False),  # the same, and a greylist
        (None, 58, 61, True),  # no Date
        (None, 20, 61, False),
    ],
)
def test_orders_replace_those_of_the_page_unless_written_before_them(
    campaign: Campaign, wrote: int | None, hop: int, came: int, counts: bool
) -> None:
    """Minutes after the game began; the page's orders came at minute 59."""
    start = campaign.now
    campaign.order("Germany", "PLACE 4 Italy", at=start + 59 * MINUTES)
    deliver(
        campaign,
        "PLACE 9 Italy\n",
        wrote=None if wrote is None else start + wrote * MINUTES,
        hop=start + hop * MINUTES,
        came=start + came * MINUTES,
    )
    assert in_force(campaign) == ("PLACE 9 Italy" if counts else "PLACE 4 Italy")


def test_late_mail_is_compared_with_when_other_late_mail_was_written(campaign: Campaign) -> None:
    """Both were held for hours; the first arrival is the older one."""
    start = campaign.now
    deliver(campaign, "PLACE 4 Italy\n", wrote=start, came=start + 4 * HOURS)
    deliver(campaign, "PLACE 9 Italy\n", wrote=start + HOURS, came=start + 5 * HOURS)
    assert in_force(campaign) == "PLACE 9 Italy"
    submission = Submission.objects.get(seat_number=2)
    assert (submission.written_at, submission.sent_at) == (start + HOURS, start + HOURS)


def test_answer_to_the_refusal_counts_whatever_the_senders_clock_says(campaign: Campaign) -> None:
    """Clock and chain are wrong by hours: without this way out all mail would be refused."""
    start = campaign.now
    campaign.order("Germany", "PLACE 4 Italy", at=start + 3 * HOURS)
    came = start + 3 * HOURS + 5 * MINUTES
    row = deliver(campaign, "PLACE 9 Italy\n", wrote=start, came=came)
    assert in_force(campaign) == "PLACE 4 Italy"
    wrote, came = start + 8 * MINUTES, came + 8 * MINUTES
    deliver(campaign, "PLACE 9 Italy\n", wrote=wrote, came=came)
    assert in_force(campaign) == "PLACE 4 Italy"
    deliver(campaign, "PLACE 9 Italy\n", wrote=wrote, came=came, answers=row.answer)
    assert in_force(campaign) == "PLACE 9 Italy"


def test_letter_of_the_same_subject_is_no_proof_of_when_mail_was_written(
    campaign: Campaign,
) -> None:
    """Answers that name no letter are matched by subject, to the newest: it may be newer."""
    start, to = campaign.now, address_of(campaign, "Germany")
    for hours, text in ((1, "PRESS TO Germany\nHello\nEND\n"), (2, "PLACE 4 Italy\n")):
        nation = "France" if "PRESS" in text else "Germany"
        send(campaign, nation, text, at=start + hours * HOURS)
    send(campaign, "France", "PRESS TO Germany\nHello again\nEND\n", at=start + 150 * MINUTES)
    Letter.objects.filter(kind="press").update(subject="From France")
    raw = written("gustav@example.org", to, "CANCEL\n", subject="Re: From France")
    hand_in(campaign, raw, to, at=start + 3 * HOURS)
    assert in_force(campaign) == "PLACE 4 Italy"


def test_older_mail_for_another_nation_or_before_any_orders_counts(campaign: Campaign) -> None:
    start = campaign.now
    campaign.order("France", "PLACE 4 Italy", at=start + 3 * HOURS)
    deliver(campaign, "PLACE 9 Italy\n", wrote=start, came=start + 4 * HOURS)
    assert in_force(campaign) == "PLACE 9 Italy"


def test_older_mail_does_not_replace_newer_orders_ahead(campaign: Campaign) -> None:
    start, seat = campaign.now, campaign.seat("Germany")
    ordered = "TURN 2 PLACEMENT\nPLACE {} Italy\n"
    for number, wrote, came in ((4, 2, 2), (9, 1, 3)):
        row = deliver(
            campaign, ordered.format(number), wrote=start + wrote * HOURS, came=start + came * HOURS
        )
    (kept,) = ahead.own_sets(seat, campaign.phase, campaign.players["Germany"])
    assert kept.row.text.strip() == "PLACE 4 Italy"
    assert "is newer and stays" in answer_text(row)


# --- commands that depend on what their sender saw ---


def command(
    campaign: Campaign, by: str, text: str, *, minutes: int, answers: Letter | None = None
) -> str:
    """Send a command of the gamesmaster or a player. Return the answer's text."""
    to = tokens.reply_address(person(by), campaign.game, campaign.now)
    at = campaign.now + minutes * MINUTES
    headers = {"In-Reply-To": answers.message_id} if answers is not None else {}
    headers["Date"] = format_datetime(at)
    row = hand_in(campaign, written(f"{by}@example.org", to, text, **headers), to, at=at)
    return answer_text(row)


def newest_answer() -> Letter:
    return Letter.objects.filter(kind="answer").latest("pk")


def test_extension_sent_twice_in_impatience_moves_the_deadline_once(campaign: Campaign) -> None:
    """reviews/mail/FAULTS.md F21: the letter answered names a deadline that has moved since."""
    letter = campaign.letters("opened", "ada")[-1]
    assert "orders are due by" in command(
        campaign, "ada", "EXTEND 24 HOURS\n", minutes=5, answers=letter
    )
    told = command(campaign, "ada", "EXTEND 24 HOURS\n", minutes=7, answers=letter)
    assert "“EXTEND” changed nothing: the deadline has moved to" in told
    assert "since the letter that you answered. If you still want it, answer this letter" in told
    assert DeadlineChange.objects.count() == 1
    command(campaign, "ada", "EXTEND 24 HOURS\n", minutes=9, answers=newest_answer())
    assert DeadlineChange.objects.count() == 2


def test_extension_in_a_new_message_depends_on_when_it_was_written(campaign: Campaign) -> None:
    for minutes, count in ((5, 1), (60, 2)):
        command(campaign, "ada", "EXTEND 24 HOURS\n", minutes=minutes)
        assert DeadlineChange.objects.count() == count
    start, ada = campaign.now, campaign.ada
    campaign.players["ada"] = ada
    row = deliver(
        campaign,
        "EXTEND 24 HOURS\n",
        wrote=start + 30 * MINUTES,
        came=start + 3 * HOURS,
        nation="ada",
    )
    assert DeadlineChange.objects.count() == 2
    assert "since you wrote" in answer_text(row)


def test_vote_in_answer_to_a_letter_before_the_last_change_asks(campaign: Campaign) -> None:
    """The vote passed and moved the deadline; the same line again would begin another."""
    campaign.game.veto_hours = 0
    campaign.game.save()
    letters = {name: campaign.letters("opened", name)[-1] for name in ("gustav", "felix", "rosa")}
    for minutes, (name, letter) in enumerate(letters.items(), start=5):
        command(campaign, name, "VOTE MORE TIME\n", minutes=minutes, answers=letter)
    assert (Motion.objects.count(), DeadlineChange.objects.count()) == (1, 1)
    told = command(campaign, "gustav", "VOTE MORE TIME\n", minutes=20, answers=letters["gustav"])
    assert "Your vote was not counted: the deadline has moved to" in told
    assert Motion.objects.count() == 1
    command(campaign, "gustav", "VOTE DRAW\n", minutes=21, answers=letters["gustav"])
    command(campaign, "gustav", "VOTE MORE TIME\n", minutes=22, answers=newest_answer())
    assert Motion.objects.count() == 3


@pytest.mark.parametrize("text", ["VOTE DRAW\n", "EXTEND 24 HOURS\n"])
def test_command_in_answer_to_a_letter_of_an_earlier_phase_asks(
    campaign: Campaign, text: str
) -> None:
    by = "gustav" if "VOTE" in text else "ada"
    letter = campaign.letters("opened", by)[-1]
    campaign.pass_deadline()
    told = command(campaign, by, text, minutes=30, answers=letter)
    assert "has opened since the letter that you answered" in told
    report = campaign.letters("board", by)[-1]
    assert "has opened since" not in command(campaign, by, text, minutes=31, answers=report)


def test_mail_in_the_order_of_writing_needs_no_answer(campaign: Campaign) -> None:
    """Ordinary letters, each a minute after the other."""
    for minute, text in enumerate(("PLACE 4 Italy\n", "PLACE 5 Italy\n", "CANCEL\n", "PASS\n")):
        send(campaign, "Germany", text, at=campaign.now + minute * MINUTES)
    assert in_force(campaign) == "PASS"
