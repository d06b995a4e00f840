"""Letters of campaigns in every form: few, short, true, with distinct subjects (issue 22).

`python -m pytest tests/letters/test_whole_campaigns.py -s` prints the median numbers of lines.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from typing import Any

import pytest
from django.test import override_settings

from games import positions
from games.letters import rendering, silence
from games.models import Letter, Phase
from tests.records.played import short_card
from tests.support import origins_ww1
from tests.support.campaign import NATIONS, PLAYERS, Campaign
from tests.support.examples import WHOLE, sample

pytestmark = [pytest.mark.django_db, pytest.mark.letters]

FORMS: dict[str, dict[str, Any]] = {
    "five": {},
    "four": {"held": ("France", "Britain", "Russia", "Germany")},
    "three": {"held": ("Britain", "Germany", "Russia")},
    "two": {"held": ("France", "Germany")},
    "blind": {"options": {"ow2.blind": "yes"}},
    "face down": {"options": {"ow2.hidden": "face_down"}},
    "sealed seed": {"options": {"rng.source": "commit_reveal"}},
    "World War I": {"ww1": True},
    "World War I, one deadline": {"ww1": True, "options": {"wwi.phasing": "one_deadline"}},
}
#: Largest median number of lines by kind (issue 22, Show); the first letter of a game with counters
#: face down explains two orders more.
LONGEST = {"begins": 75, "board": 95, "locked": 20}
FACE_DOWN = {**LONGEST, "begins": 80}


def begin(
    held: tuple[str, ...] = NATIONS, options: dict[str, Any] | None = None, ww1: bool = False
) -> Campaign:
    # As games are opened by default: another rule would be a line of the first letter.
    options = {"rng.settle": "agreed_readings", **(options or {})}
    if ww1:
        return origins_ww1.Campaign.begin(options=options)
    seats = {
        nation: f"{PLAYERS[nation]}@example.org" if nation in held else "table"
        for nation in NATIONS
    }
    return Campaign.begin(options=options, seats=seats)


def play_phase(campaign: Campaign) -> None:
    """Play a phase with the orders that a bot would send for each nation, after checking the
    examples."""
    phase, rules = campaign.phase, campaign.game.rules
    state = positions.state_of(phase)
    for nation in rules.acting_nations(state):
        view = rules.view(state, nation)
        check_examples(campaign, view, nation)
        text = rules.bot.orders(view, nation, f"letters/{phase.number}")
        campaign.order(nation, text)
    campaign.pass_deadline()
    assert phase.status != Phase.Status.HELD, phase.fault


def check_examples(campaign: Campaign, view: Any, nation: str) -> None:
    """Check that example lines are accepted unchanged and without a warning."""
    shown = silence.examples(campaign.game, view, nation)
    reading = campaign.game.rules.read("\n".join(shown), nation, view)
    assert {remark.severity for remark in reading.remarks} <= {"note"}, (nation, shown)
    assert len(reading.understood) >= len(shown), (nation, shown)


@pytest.mark.parametrize("form", sample(list(FORMS), 2))
@override_settings(MAIL_IN=True, MAIL_REPLY="orders@games.test", MAIL_PICTURES=False)
def test_letters_of_a_campaign_are_few_and_short_with_distinct_subjects(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 22, Show: medians of 75, 95 and 20 lines, at most 4.5 letters per player and turn
    besides receipts, and no subject for two kinds or two phases."""
    if not WHOLE and "ww1" not in FORMS[form]:
        short_card(monkeypatch, 3)
    campaign = begin(**FORMS[form])
    while campaign.game.status == "running" and (WHOLE or campaign.phase.turn <= 3):
        play_phase(campaign)
    sizes, subjects, players, number = defaultdict(list), defaultdict(set), set(), 0
    for letter in Letter.objects.filter(game=campaign.game).exclude(kind="invitation"):
        made = rendering.render(letter)
        name = letter.address.partition("@")[0]
        subjects[name, made.subject].add((letter.kind, letter.phase_id))
        if name == "ada":
            continue
        sizes[letter.kind].append(len(made.text.splitlines()))
        players.add(name)
        number += letter.kind != "receipt"
    medians = {kind: statistics.median(lines) for kind, lines in sorted(sizes.items())}
    turns = campaign.game.phases.order_by("-number")[0].turn
    a_turn = number / len(players) / turns
    print(f"{form}: {medians}; {a_turn:.1f} letters a player and turn")
    longest = FACE_DOWN if form == "face down" else LONGEST
    assert {kind: medians[kind] for kind in longest if medians[kind] > longest[kind]} == {}
    assert a_turn <= 4.5
    assert {key: uses for key, uses in subjects.items() if len(uses) > 1} == {}
