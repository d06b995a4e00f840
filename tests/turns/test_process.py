"""Processing many due games in one batch gives each the result it gets alone (design.md 5)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from unittest import mock

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games import desk, tasks
from games.evidence import export
from games.models import Game, Letter, Phase, Resolution
from games.rules import RulesError
from games.rules.verification import verify
from games.turns import closing, process, queue
from games.turns.load import Due
from orders.models import Handling, Mail
from tests.support.campaign import NATIONS, Campaign, person

pytestmark = pytest.mark.django_db
ORDERS = {
    "USA": "PLACE 5 Poland",
    "France": "PLACE 3 Austria\nPLACE 2 Rumania",
    "Britain": "PASS",
    "Russia": "PLACE 4 Poland # and more to come",
    "Germany": "PLACE 6 Austria",
}
#: Fields that differ between equal games: row numbers, salts and values computed from them,
# and the random end of a Message-ID.
OF_EACH = (
    "id",
    "game_id",
    "phase_id",
    "previous_id",
    "digest",
    "leaves",
    "claim",
    "claimed_until",
    "code",
    "key",
    "about",
    "record_hash",
)


def ordered(title: str, **given: Any) -> Campaign:
    campaign = Campaign.begin(title=title, **given)
    for nation, text in ORDERS.items():
        campaign.order(nation, text)
    return campaign


def pass_together(*campaigns: Campaign) -> list[Phase]:
    """Process the open phases of these games in one worker's batch, at their deadline."""
    phases = [campaign.phase for campaign in campaigns]
    now = max(phase.deadline for phase in phases)
    token, claimed = queue.claim(now, 100)
    assert set(claimed) >= {phase.pk for phase in phases}
    process.process(claimed, token, now)
    for phase in phases:
        phase.refresh_from_db()
    return phases


def columns_of(row: Any) -> dict[str, Any]:
    return {
        field.attname: getattr(row, field.attname)
        for field in row._meta.concrete_fields
        if field.attname not in OF_EACH
    }


def record_of(campaign: Campaign) -> list[dict[str, Any]]:
    """Return every row that a deadline writes, without the fields in `OF_EACH`."""
    phases = list(campaign.game.phases.order_by("number"))
    results = Resolution.objects.filter(phase__game=campaign.game).order_by("pk")
    letters = Letter.objects.filter(game=campaign.game).order_by("pk")
    about = [
        set(letter.about) | set(letter.about["seats"] and ["has seats"])
        for letter in letters
        if "seats" in letter.about
    ]
    campaign.game.refresh_from_db()
    return [
        *(columns_of(row) for row in (*phases, *results, *letters)),
        *({"about": names} for names in about),
    ]


def together(*campaigns: Campaign) -> CaptureQueriesContext:
    with CaptureQueriesContext(connection) as asked:
        assert all(phase.status == Phase.Status.RESOLVED for phase in pass_together(*campaigns))
    return asked


def questions(asked: CaptureQueriesContext) -> int:
    """Count the statements other than INSERT: SQLite limits the values of one statement."""
    return sum(not query["sql"].startswith("INSERT") for query in asked.captured_queries)


@pytest.mark.both_databases
def test_batch_of_games_gives_the_results_of_single_games() -> None:
    alone = ordered("The lights go out")
    phase = alone.phase
    token, (claimed,) = queue.claim(phase.deadline, 1)
    process.process([claimed], token, phase.deadline)
    many = [ordered("The lights go out") for _ in range(3)]
    together(*many)
    for campaign in many:
        assert record_of(campaign) == record_of(alone)
        assert campaign.board() == alone.board()
        newest, phases = campaign.resolution(), list(campaign.game.phases.order_by("number"))
        assert [phase_row.previous for phase_row in phases] == [None, phases[0]]
        assert {
            (letter.about["resolution"], letter.about["next"])
            for letter in campaign.letters("board")
        } == {(newest.pk, phases[1].pk)}


def test_query_count_is_the_same_for_2_and_8_games() -> None:
    asked = {}
    for number in (2, 8):
        campaigns = [ordered(f"One of {number}") for _ in range(number)]
        helper = 2 * number  # the test itself looks for each phase, before and after
        asked[number] = questions(together(*campaigns)) - helper
    assert asked[8] == asked[2]


def test_query_count_is_constant_in_later_phases() -> None:
    """From the second phase on, record entries name the entry before."""
    asked = {}
    for number in (2, 6):
        campaigns = [ordered(f"One of {number}") for _ in range(number)]
        together(*campaigns)
        campaigns[0].pass_deadline()  # processes what is due in the other games, too
        for campaign in campaigns:
            for nation, text in ORDERS.items():
                campaign.order(nation, text, at=campaigns[0].now)
        asked[number] = questions(together(*campaigns)) - 2 * number
        assert {campaign.game.phases.get(number=3).status for campaign in campaigns} == {
            Phase.Status.RESOLVED
        }
        Game.objects.filter(pk__in=[campaign.game.pk for campaign in campaigns]).update(
            status=Game.Status.ABANDONED
        )
    assert asked[6] == asked[2]


@pytest.mark.both_databases
def test_tick_counts_each_phase_and_letter_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`manage.py tick` prints the number it processed (docs/design.md 5), over all batches."""
    monkeypatch.setattr(process, "AT_ONCE", 2)
    campaigns = [ordered(f"One of five, {number}") for number in range(5)]
    done = tasks.do_all_due(max(campaign.phase.deadline for campaign in campaigns))
    letters = Letter.objects.count()
    assert letters > 5
    assert not Letter.objects.exclude(status=Letter.Status.SENT).exists()
    assert done == 5 + letters
    assert all(campaign.game.phases.count() == 2 for campaign in campaigns)


@pytest.mark.both_databases
def test_records_of_a_batch_verify() -> None:
    """docs/design.md 1.5: the digest covers the orders in force, and the result follows."""
    campaigns = [ordered(f"Game {number}") for number in range(2)]
    together(*campaigns)
    for campaign in campaigns:
        tree = export.record(campaign.game, private=True)
        assert verify.check(tree) == []
        names = [[part[0] for part in entry["covers"]] for entry in tree["entries"]]
        assert names == [["start", "opened"], ["locked", "result", "opened"]]
        campaign.game.refresh_from_db()
        assert campaign.game.record_hash == tree["entries"][-1]["hash"]


def test_letters_show_the_newest_entry_alone_and_in_a_batch() -> None:
    """contract.md 5: a letter shows the record hash after the step that it reports."""
    alone = ordered("Alone")
    token, (claimed,) = queue.claim(alone.phase.deadline, 1)
    process.process([claimed], token, alone.phase.deadline)
    many = [ordered(f"Together {number}") for number in range(2)]
    together(*many)
    for campaign in (alone, *many):
        newest = campaign.game.entries.latest("number")
        assert [part[0] for part in newest.covers][-2:] == ["result", "opened"]
        board_letters = campaign.letters("board")
        assert {letter.record_hash for letter in board_letters} == {newest.hash[:32]}
    holders = [campaign.game.phases.get(number=1).holders for campaign in (alone, *many)]
    assert (
        holders == [{"USA": [1], "France": [2], "Britain": [3], "Russia": [4], "Germany": [5]}] * 3
    )


@pytest.mark.both_databases
@pytest.mark.parametrize(
    "why", ["silent", "approval", "merged", "absent", "held mail", "ruled", "fails"]
)
def test_unusual_game_does_not_disturb_others_in_its_batch(why: str) -> None:
    options = {"options": {"orders.amend": "merge_lines"}} if why == "merged" else {}
    odd, usual = ordered("Odd", **options), [ordered(f"Usual {number}") for number in range(2)]
    now = odd.now
    match why:
        case "silent":
            odd = Campaign.begin(title="Silent")
            odd.order("Germany", ORDERS["Germany"])
        case "approval":
            Game.objects.filter(pk=odd.game.pk).update(approval_hours=5)
        case "absent":
            desk.announce(
                odd.game,
                person("bea"),
                (now + timedelta(days=1)).date(),
                (now + timedelta(days=2)).date(),
                person("bea"),
                now,
            )
        case "held mail":
            mail = Mail.objects.create(fingerprint="x", way="lmtp", received_at=now, raw=b"")
            Handling.objects.create(mail=mail, game=odd.game, due_at=now)
        case "ruled":
            Game.objects.filter(pk=odd.game.pk).update(last_ruling=1)
    really, failing = closing.close, odd.game.pk

    def close(due: Due, *rest: Any) -> None:
        if why == "fails" and due.game.pk == failing:
            raise RulesError("nobody can tell")
        really(due, *rest)

    with mock.patch.object(closing, "close", close):
        phases = pass_together(odd, *usual)
    assert [phase.status for phase in phases[1:]] == [Phase.Status.RESOLVED] * 2
    expected = {
        "approval": Phase.Status.APPROVAL,
        "held mail": Phase.Status.OPEN,
        "fails": Phase.Status.HELD,
    }
    assert phases[0].status == expected.get(why, Phase.Status.RESOLVED)
    if why == "silent":
        assert phases[0].missed == [nation for nation in NATIONS if nation != "Germany"]
