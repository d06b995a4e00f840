"""Reports of the busiest phases are short too (issue 44, sentence 12)."""

from __future__ import annotations

import pytest
from django.test import override_settings

from games import positions
from games.letters import rendering, story
from games.models import Resolution
from games.records import proof
from games.rules.options import new_game_options
from games.rules.registry import RULESETS, ruleset
from tests.support.campaign import NATIONS, PLAYERS, Campaign

pytestmark = [pytest.mark.django_db, pytest.mark.letters]

LONGEST = 95
STOCKS = ("GE", "KO", "XOM", "PEP", "WMT", "IBM", "T", "F", "MCD", "CVX", "BA", "DIS", "MMM")


def place_everywhere(campaign: Campaign) -> None:
    """Play a placement in which each nation places its PFs one by one over all areas."""
    state = positions.state_of(campaign.phase)
    areas = campaign.game.rules.board(state).areas
    for number, nation in enumerate(NATIONS):
        shifted = areas[number:] + areas[:number]
        campaign.order(nation, "\n".join(f"PLACE 1 {area}" for area in shifted))
    campaign.pass_deadline()


def want_everything(campaign: Campaign) -> None:
    """Play attacks in which each nation attacks in every area where it stands and wants every
    counter that its part of the scenario allows."""
    game, state = campaign.game, positions.state_of(campaign.phase)
    cells = game.rules.board(state).cells
    for nation in NATIONS:
        view = game.rules.view(state, nation)
        lines = []
        for stock, (area, here) in zip(STOCKS, cells.items(), strict=False):
            others = [other for other in here if other != nation]
            if nation in here and others:
                lines.append(f"ATTACK {area}: {', '.join(others)} STOCK {stock}")
        choices = game.rules.planner.choices(view, nation)
        lines += [
            choice.line() for choice in choices if choice.verb in ("UNDERSTANDING", "CONTROL")
        ]
        campaign.order(nation, "\n".join(lines))
    campaign.pass_deadline()


@override_settings(MAIL_IN=True, MAIL_REPLY="orders@games.test", MAIL_PICTURES=False)
def test_report_of_the_busiest_attacks_is_short() -> None:
    """83 to 168 lines before: one for every void attack, counter and sale that was named."""
    campaign = Campaign.begin()
    for _ in range(2):
        place_everywhere(campaign)
        want_everything(campaign)
    events = positions.last_resolution(campaign.game).events  # type: ignore[union-attr]
    kinds = [event["kind"] for event in events]
    assert kinds.count("void") >= 12, kinds
    assert kinds.count("not_placed") >= 16, kinds
    for name in PLAYERS.values():
        text = rendering.render(campaign.letters("board", name)[-1]).text
        assert "attacks are void, each because" in text
        assert len(text.splitlines()) <= LONGEST, text


def test_failures_with_one_reason_are_one_sentence() -> None:
    """A single one keeps its sentence, and one with a note or losses its own line."""

    def void(
        nation: str, area: str, reason: str = "it is weaker than its targets"
    ) -> dict[str, object]:
        message = f"{nation}'s attack on France and Italy in {area} is void: {reason}."
        return {"kind": "void", "nation": nation, "line": 1, "message": message}

    def unplaced(nation: str, what: str) -> dict[str, object]:
        reason = "it takes at least 5 PFs there"
        return {"kind": "not_placed", "message": f"{nation} cannot place {what}: {reason}."}

    events = [
        void("USA", "Austria", "it has nothing there"),
        void("Germany", "Poland"),
        {**void("Germany", "Italy"), "message": "Germany's attack fails. Germany loses 2."},
        void("USA", "Rumania"),
        unplaced("USA", "CONTROL in Poland"),
        unplaced("USA", "CONTROL in Italy"),
        unplaced("Russia", "an Understanding in Italy"),
    ]
    told = [entry.sentence for entry in story.tell(events, {("Germany", 9): "Passed over: GE."})]
    assert told == [
        "USA's attack on France and Italy in Austria is void: it has nothing there.",
        "Germany's attack fails. Germany loses 2.",
        "2 attacks are void, each because it is weaker than its targets: Germany in Poland;"
        " USA in Rumania.",
        "3 counters cannot be placed, each because it takes at least 5 PFs there: USA CONTROL in"
        " Poland and Italy; Russia an Understanding in Italy.",
    ]
    noted = story.tell(events, {("Germany", 1): "Passed over: GE (no usable report)."})
    assert sum("is void" in entry.sentence for entry in noted) == 3


@pytest.mark.parametrize(
    ("changed", "true", "untrue"),
    [
        ({}, "an attack below 1-1 is void", "loses everything there"),
        ({"ow2.sub_1_1": "attacker_removed"}, "an attacker below 1-1 loses everything", "is void"),
        ({"ow2.hidden": "face_down"}, "an attacker below 1-1 loses everything there", "is void"),
        ({"ow2.x_attacker_loss": "all"}, "and so does the attacker", "both lose"),
        ({"ow2.resolution": "frozen_odds"}, "on the board as published", "nation by nation"),
        (
            {"ow2.immunity_ends": "only_by_host"},
            "even if others remove the Understanding",
            "everywhere else.",
        ),
    ],
)
def test_notes_on_attacks_are_true_under_the_options(
    changed: dict[str, str], true: str, untrue: str
) -> None:
    """The first letter of a face-down game said “below 1-1 there is no attack”."""
    words = " ".join(ruleset("origins-ww2").guide.notes(new_game_options({}) | changed))
    assert true in words
    assert untrue not in words


def test_notes_of_every_game_look_at_its_options() -> None:
    for game in RULESETS.values():
        for note in ruleset(game.id).guide.notes(new_game_options({})):
            assert note.endswith("."), game.id


def test_stocks_passed_over_for_one_reason_share_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """One attack of five reserves had “(an earlier attack has used this reserve)” five times."""
    used, none = "an earlier attack has used this reserve", "no usable report"
    stocks = (("AA", used), ("ZZTOP", none), ("BA", used), ("GE", used))
    monkeypatch.setattr(proof, "skipped_stocks", lambda *_: {("Germany", 1): stocks})
    assert story.skipped_stocks(Resolution(events=[]), ()) == {
        ("Germany", 1): f"Passed over: AA, BA and GE (each: {used}), ZZTOP ({none})."
    }
