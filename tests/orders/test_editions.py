"""Orders in force keep the meaning that their sender was answered with, after an upgrade, too.

The next edition of the reader in these tests reads no plain words at all, so whatever is obeyed
comes from what was stored with the submission.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from games.evidence import export
from games.models import Draw
from games.positions import in_force
from games.records import archive
from games.rules import doubts
from games.rules.plain import editions, reader
from games.rules.sifting import check_lines
from games.rules.verification import checker, record, verify
from games.turns import rulings
from games.ww2_multiplayer.rules import checking, language
from orders.models import Submission
from tests.orders.test_in_doubt import DOUBTFUL, begin, entered
from tests.records.forging import recomputed
from tests.support import teams
from tests.support.campaign import Campaign
from tests.ww2_multiplayer.campaign import Refereed

pytestmark = pytest.mark.django_db

Upgrade = Callable[[], None]


def install_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """Install the next edition, which reads canonical lines alone."""

    def read(written: Any, read_line: Any, refusal: Any, *facts: Any, **more: Any) -> Any:
        return check_lines(written, read_line, refusal)

    monkeypatch.setattr(editions, "EDITION", editions.EDITION + 1)
    monkeypatch.setattr(checker, "EDITION", editions.EDITION)
    monkeypatch.setattr(reader, "read_text", read)
    for module in (language, checking):
        monkeypatch.setattr(module, "is_plain", lambda options: False)


@pytest.fixture
def upgrade(monkeypatch: pytest.MonkeyPatch) -> Upgrade:
    return partial(install_next, monkeypatch)


def events(campaign: Campaign, kind: str) -> list[dict[str, Any]]:
    return [event for event in campaign.resolution().events if event["kind"] == kind]


def placed(campaign: Campaign, nation: str = "Germany") -> dict[str, int]:
    board = campaign.board()
    return {area: cells[nation].pf for area, cells in board.items() if nation in cells}


def verdict(campaign: Campaign) -> str:
    follows, sentence = checker.verdict(export.record(campaign.game, private=True))
    assert follows, sentence
    return sentence


def leaf_follows(campaign: Campaign, nation: str) -> bool:
    """Return whether a leaf of the last digest comes from the texts that a player is shown."""
    phase = campaign.resolution().phase
    salt, text = in_force.salted_texts(phase)[nation]
    return bool(phase.leaves[nation] == record.leaf(nation, text, salt))


@pytest.mark.both_databases
def test_placements_are_obeyed_as_they_were_answered(upgrade: Upgrade) -> None:
    campaign = begin()
    campaign.order("Germany", "Hi Ada,\nfive to Poland and the rest in Austria\n\nThanks!\nHans")
    upgrade()
    campaign.pass_deadline()
    assert placed(campaign) == {"Poland": 5, "Austria": 5}
    assert leaf_follows(campaign, "Germany")
    assert verdict(campaign).endswith("check the record with a version of that edition.")


@pytest.mark.parametrize("when", ["never", "open", "judged"])
def test_attacks_keep_their_lines_and_draws(upgrade: Upgrade, when: str) -> None:
    """Two attacks in one line are two numbers, which digits and rulings name."""
    campaign = begin()
    campaign.order("Germany", "PLACE 5 Poland\nPLACE 5 Austria")
    campaign.order("France", "PLACE 1 Poland\nPLACE 1 Austria")
    campaign.pass_deadline()
    campaign.order(
        "Germany", "My attacks:\nattack the French in Poland with GE; France: Austria, IBM"
    )
    campaign.order(
        "Germany", "# new\nattack France in Poland (GE). Attack France in Austria (IBM)."
    )
    if when == "open":
        upgrade()
    phase = campaign.pass_deadline()
    if when == "judged":
        upgrade()
        rulings.rule(phase, "again", {}, "To look again", campaign.ada, campaign.now)
    attacks = [
        (event["area"], event["line"], event["stock"]) for event in events(campaign, "attack")
    ]
    assert attacks == [("Poland", 2, "GE"), ("Austria", 1_000_002, "IBM")]
    drawn = Draw.objects.filter(phase=phase).order_by("line").values_list("line", flat=True)
    assert list(drawn) == [2, 1_000_002]
    assert ("edition" in verdict(campaign)) == (when != "never")


def test_counters_are_placed_as_they_were_answered(upgrade: Upgrade) -> None:
    campaign = begin()
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "Take control of Poland, please")
    upgrade()
    campaign.pass_deadline()
    assert [event["area"] for event in events(campaign, "control")] == ["Poland"]


def test_merged_lines_keep_their_meaning_and_their_digest(upgrade: Upgrade) -> None:
    options = {"orders.amend": "merge_lines"}
    campaign = begin(**options)
    campaign.order("Germany", "place 4 italy # a comment\nfive in Poland")
    campaign.order("Germany", "Also two in Austria\nPoland 3")
    campaign.order("France", "six to Poland")
    phase = campaign.phase
    before = in_force.salted_texts(phase)
    upgrade()
    assert in_force.salted_texts(phase) == before
    campaign.order("Germany", "PLACE 1 Rumania")
    campaign.pass_deadline()
    assert placed(campaign) == {"Italy": 4, "Austria": 2, "Poland": 3, "Rumania": 1}
    assert placed(campaign, "France") == {"Poland": 6}
    assert leaf_follows(campaign, "Germany")
    verdict(campaign)


def test_votes_of_a_team_keep_their_meaning(upgrade: Upgrade) -> None:
    campaign = teams.begin("majority", options={"orders.language": "plain"})
    for name in ("felix", "flora"):
        teams.order(campaign, name, "France", "four to Poland, please")
    upgrade()
    teams.order(campaign, "fred", "France", "PLACE 4 Poland")
    (line,) = in_force.tally(campaign.seat("France"), campaign.phase)
    assert (line.words, len(line.members)) == ("PLACE 4 Poland", 3)
    campaign.pass_deadline()
    assert placed(campaign, "France")["Poland"] == 4
    assert leaf_follows(campaign, "France")
    verdict(campaign)


def test_orders_in_doubt_count_as_they_were_asked_about(upgrade: Upgrade) -> None:
    campaign = begin()
    campaign.order("Germany", DOUBTFUL)
    upgrade()
    campaign.pass_deadline()
    assert [row.text for row in entered(campaign)] == ["PLACE 3 Austria"]
    assert placed(campaign)["Austria"] == 3
    verdict(campaign)


@pytest.mark.both_databases
def test_ruling_accepts_what_a_late_submission_was_answered_with(upgrade: Upgrade) -> None:
    campaign = begin()
    phase = campaign.phase
    late = campaign.order("Germany", "three to Austria", at=phase.deadline.replace(second=30))
    upgrade()
    campaign.pass_deadline()
    what = {"nation": "Germany", "submission": late.number}
    rulings.rule(phase, "orders", what, "The mail was slow", campaign.ada, campaign.now)
    assert placed(campaign)["Austria"] == 3
    verdict(campaign)


def test_ruling_keeps_what_its_amended_orders_meant(upgrade: Upgrade) -> None:
    campaign = begin()
    phase = campaign.phase
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.pass_deadline()
    what = {"nation": "Germany", "text": "four to Austria; the rest in Italy"}
    rulings.rule(phase, "orders", what, "A slip", campaign.ada, campaign.now)
    upgrade()
    rulings.rule(phase, "again", {}, "To look again", campaign.ada, campaign.now)
    assert placed(campaign) == {"Austria": 4, "Italy": 6}
    verdict(campaign)


def test_ruling_in_canonical_words_is_stored_as_it_was_made() -> None:
    campaign = begin()
    phase = campaign.phase
    campaign.pass_deadline()
    what = {"nation": "Germany", "text": "PLACE 4 Austria # as they said"}
    made = rulings.rule(phase, "orders", what, "A slip", campaign.ada, campaign.now)
    assert made.what == what


def test_rows_from_before_are_of_the_first_edition_whatever_runs() -> None:
    field: Any = Submission._meta.get_field("edition")
    assert (field.default, field.db_default) == (1, 1)
    assert editions.EDITION > 1


def test_a_text_of_the_running_edition_is_read_again() -> None:
    """A ruling on the board may change what “the rest” is, or close an area."""
    campaign = begin()
    row = campaign.order("Germany", "five to Poland")
    assert (row.edition, row.judged) == (editions.EDITION, "five to Poland")
    assert in_force.texts_in_force(campaign.phase) == {"Germany": "five to Poland"}


def test_receipt_shows_the_words_as_sent(upgrade: Upgrade) -> None:
    campaign = begin()
    row = campaign.order("Germany", "five to Poland")
    upgrade()
    seat, player = campaign.seat("Germany"), campaign.players["Germany"]
    assert in_force.own_text(seat, campaign.phase, player, row) == "five to Poland"
    assert in_force.texts_in_force(campaign.phase)["Germany"].startswith("PLACE 5 Poland\n")


# --- the record ---


def played(campaign: Campaign) -> dict[str, Any]:
    campaign.order("Germany", "five to Poland\nThis is a joke, or is it?")
    campaign.order("Germany", "five to Poland and 2 in Austria")
    campaign.pass_deadline()
    return export.record(campaign.game, private=True)


def test_record_of_another_edition_verifies_and_says_what_was_not_read(upgrade: Upgrade) -> None:
    tree = played(begin())
    upgrade()
    follows, sentence = checker.verdict(tree)
    assert follows, sentence
    assert (
        f"Other editions of the reader of plain orders than this one ({editions.EDITION}) read 2"
        f" submissions by edition {editions.EDITION - 1}: "
    ) in sentence


@pytest.mark.parametrize("options", [{}, {"orders.amend": "merge_lines"}])
def test_checker_of_the_edition_that_read_orders_checks_what_the_next_judged(
    options: dict[str, str],
) -> None:
    """The service judged what was understood, and this checker reads the texts again."""
    campaign = begin(**options)
    campaign.order("Germany", "five to Poland\nFrance: 5")
    campaign.order("Germany", "Hi!\nPLACE 2 Austria, three to Italy")
    with pytest.MonkeyPatch.context() as monkeypatch:
        install_next(monkeypatch)
        campaign.pass_deadline()
        tree = export.record(campaign.game, private=True)
    assert editions.is_canonical(tree["phases"][0]["resolutions"][0]["orders"]["Germany"])
    follows, sentence = checker.verdict(tree)
    assert follows, sentence
    assert "edition" not in sentence
    tree["phases"][0]["resolutions"][0]["orders"]["Germany"] += "\nPLACE 1 Rumania"
    assert not checker.verdict(recomputed(tree))[0]


def test_changed_board_of_another_edition_is_refuted(upgrade: Upgrade) -> None:
    tree = played(begin())
    tree["phases"][0]["submissions"][1]["understood"] = [[1, "PLACE 6 Poland"]]
    upgrade()
    assert {difference.what for difference in verify.check(recomputed(tree))} >= {
        "the position after"
    }


@pytest.mark.parametrize(
    ("number", "key", "value"),
    [
        (1, "understood", [[1, "PLACE 5 Poland"]]),
        (0, "doubt", {"lines": ["PLACE 5 Poland"], "may_count": True}),
    ],
)
def test_forged_reading_of_the_same_edition_is_refuted(number: int, key: str, value: Any) -> None:
    tree = played(begin())
    assert checker.verdict(tree)[0]
    tree["phases"][0]["submissions"][number][key] = value
    first = next(verify.differences(recomputed(tree)))
    assert first.what == f"what was understood of submission {number + 1}, or in doubt in it,"


def test_restored_game_keeps_editions(upgrade: Upgrade) -> None:
    campaign = begin()
    tree = played(campaign)
    upgrade()
    restored = archive.restore(tree, campaign.ada)
    rows = Submission.objects.filter(game=restored).order_by("number")
    assert [(row.edition, row.understood) for row in rows] == [
        (row["edition"], row["understood"]) for row in tree["phases"][0]["submissions"]
    ]
    assert doubts.as_json(rows[0].question) == tree["phases"][0]["submissions"][0]["doubt"]


# --- World War II Multi-Player ---


@pytest.mark.guest
def test_refereed_game_keeps_what_binding_lines_meant(upgrade: Upgrade) -> None:
    war = Refereed.begin(options={"orders.language": "plain"})
    war.order("France", "Please ally with the British\nHold Metz, whatever comes")
    war.order("Britain", "Alliance: France")
    upgrade()
    war.pass_deadline()
    assert [sorted(event["nations"]) for event in events(war, "alliance")] == [
        ["Britain", "France"]
    ]
    verdict(war)


@pytest.mark.guest
def test_refereed_record_of_another_edition_verifies(upgrade: Upgrade) -> None:
    """Its positions keep order texts, as they were sent."""
    war = Refereed.begin(options={"orders.language": "plain"})
    war.order("France", "Please ally with the British")
    war.order("Britain", "Alliance: France")
    war.play_to("orders")
    war.order("Germany", "please INVADE Poland\nMove the 3rd army to Warsaw")
    war.order("Britain", "SEA 1 SP Suez TO Malta\nVIA MED")  # kept as it was understood
    war.pass_deadline()
    war.report()
    war.carry_out()
    assert verdict(war).count("edition") == 0
    upgrade()
    assert "edition" in verdict(war)
