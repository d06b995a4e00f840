"""A week of telephone: a whole campaign through the desk's pages alone (issue 5, must show).

Ada opens the game, seats everybody, writes every order on the telephone page, reads it back, and
reads the results from the script. Nobody else uses the service.
"""

from __future__ import annotations

import itertools
import re
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse

from games import positions, tasks
from games.evidence import export
from games.models import Call, Game, Letter, Person, Phase, Resolution, Seat
from games.rules.verification import verify
from orders.models import Submission
from tests.desk.conftest import Browser, Watch
from tests.records.played import short_card
from tests.support.browsing import Visitor
from tests.support.campaign import PLAYERS, person
from tests.support.examples import WHOLE, sample
from tests.support.letters import letter_text
from tests.support.opening import open_game

pytestmark = pytest.mark.long

DICE = {"rng.source": "gm_dice", "rng.settle": "first_reading"}
NAMES = {nation: name.title() for nation, name in PLAYERS.items()}


class Telephone:
    """Ada at her desk, with nothing but pages and the clock."""

    def __init__(self, client: Visitor, watch: Watch, game: Game) -> None:
        self.client, self.watch, self.game = client, watch, game
        self.codes: dict[int, str] = {}
        self.dice = itertools.cycle("371094285611473260")

    @property
    def phase(self) -> Phase:
        phase = self.game.phases.current()
        assert phase is not None
        phase.game = self.game
        return phase

    def page(self, name: str, *more: object) -> str:
        return self.client.read(reverse(name, args=[self.game.pk, *more]))

    def owing(self) -> list[Seat]:
        """Return the seats that the call list marks as owing orders."""
        page = self.page("desk-telephone")
        rows = re.findall(r'<li class="call-row owes">.*?</li>', page, re.DOTALL)
        links = [re.search(r"/desk/telephone/(\d+)/", row) for row in rows]
        return [Seat.objects.get(pk=match[1]) for match in links if match is not None]

    def call(self, seat: Seat, outcome: str, note: str = "") -> None:
        self.client.post(
            reverse("desk-telephone-call", args=[self.game.pk, seat.pk]),
            {"outcome": outcome, "note": note},
        )

    def dictate(self, seat: Seat, lines: list[str]) -> None:
        """Enter the lines one by one, read them back and take them down."""
        url, text = reverse("desk-telephone-seat", args=[self.game.pk, seat.pk]), ""
        phase, typed = self.phase, {"do": "read", "phase": self.phase.number}
        for line in lines:
            text = f"{text}{line}\n"
            page = self.client.submit(url, {**typed, "text": text})
            assert f"{text}</textarea>" in page
        heard = page.partition('name="heard" value="')[2].partition('"')[0]
        assert len(heard) == 4
        data: dict[str, Any] = {
            "do": "heard",
            "text": text,
            "heard": heard,
            "phase": phase.number,
        }
        assert self.client.post(url, data).status_code == 302
        taken = Submission.objects.latest("number")
        assert (taken.counts, taken.read_back) == (True, heard)
        self.codes[taken.number] = heard

    def take_down(self, seat: Seat, lines: list[str]) -> None:
        """Take all lines down at once as final, as at one table; `dictate` reads back each line
        instead."""
        url = reverse("desk-telephone-seat", args=[self.game.pk, seat.pk])
        data = {"do": "down", "text": "\n".join(lines), "final": "on"}
        data["phase"] = str(self.phase.number)
        assert self.client.post(url, data).status_code == 302
        taken = Submission.objects.latest("number")
        assert (taken.seat, taken.counts, taken.final) == (seat, True, True)

    def wait_for_result(self, *, rolls: bool) -> Resolution:
        """Pass the deadline, enter dice if they decide, continue until the phase is judged; return
        the result."""
        phase = self.phase
        self.watch.set(phase.deadline)
        for _ in range(40):
            tasks.do_all_due(self.watch.now)
            phase.refresh_from_db()
            if phase.status == Phase.Status.RESOLVED:
                break
            assert phase.status != Phase.Status.HELD, phase.fault
            if phase.status == Phase.Status.DRAWING and rolls:
                roll = {"rolls": next(self.dice), "note": "before witnesses"}
                answer = self.client.post(
                    reverse("phase-rolls", args=[self.game.pk, phase.number]), roll, follow=True
                )
                assert "entered" in answer.content.decode()
            self.watch.pass_by(seconds=20)
        self.game.refresh_from_db()
        return phase.resolutions.latest()


def opened(client: Visitor, watch: Watch, **changes: Any) -> Telephone:
    """Open a game by pages, with seats by name and telephone; by default a deadline every 6
    hours."""
    ada = person("ada")
    ada.name = "Ada"
    ada.save()
    defaults: dict[str, Any] = {
        "title": "By telephone",
        "ruleset_id": "origins-ww2",
        "card_name": "historical",
        "schedule": {"every": "minutes", "minutes": 360},
        "zone": "Europe/London",
        "market": "demo",
        "reserves": None,
        "may_lock_early": False,
        "public": False,
        "seats": {},
        "options": {"rng.settle": "first_reading"},
    }
    game = open_game(ada, watch.now, **{**defaults, **changes})
    for number, seat in enumerate(game.seats.order_by("ordinal")):
        form = {
            "seat": seat.pk,
            "name": NAMES[seat.nation],
            "telephone": f"+44 20 7946 000{number}",
            "zone": "Europe/London",
        }
        page = client.submit(reverse("desk-paper-seat", args=[game.pk, seat.pk]), form, follow=True)
        assert f"{NAMES[seat.nation]} plays {seat.nation} by post" in page
    client.post(reverse("game-start", args=[game.pk]))
    game.refresh_from_db()
    assert game.status == Game.Status.RUNNING
    return Telephone(client, watch, game)


def spoken_orders(telephone: Telephone, seat: Seat) -> list[str]:
    """Return what the player says: a bot sends more orders than a test would."""
    game = telephone.game
    state = positions.state_of(telephone.phase)
    return game.rules.bot.orders(state, seat.nation, "by telephone").splitlines()


@pytest.mark.parametrize(
    ("changes", "rolls", "turns_played"),
    [({}, False, 6), ({"options": DICE, "market": "newspaper"}, True, 6)]
    if WHOLE
    else [({}, False, 3)],
    ids=sample(["the DEMO exchange", "the gamesmaster's dice"], 1),
)
def test_telephone_campaign_is_played_and_verifies(
    as_: Browser,
    watch: Watch,
    changes: dict[str, Any],
    rolls: bool,
    turns_played: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """6 turns of 2 deadlines, 3 without a soak; boards equal `adjudicate`; every set of orders is
    read back."""
    short_card(monkeypatch, turns_played)
    telephone = opened(as_("ada"), watch, **changes)
    game, began = telephone.game, watch.now
    phases = 0
    while game.status == Game.Status.RUNNING:
        phases += 1
        watch.pass_by(minutes=10)
        owing = telephone.owing()
        acting = game.rules.acting_nations(positions.state_of(telephone.phase))
        assert {seat.nation for seat in owing} == set(acting)
        late, *others = owing
        telephone.call(late, "no_answer", "try again")
        for seat in others:
            telephone.call(seat, "reached")
            telephone.dictate(seat, spoken_orders(telephone, seat))
        assert telephone.owing() == [late]
        if phases % 2:  # in every other phase the last player calls back in time
            telephone.call(late, "called_us")
            telephone.dictate(late, spoken_orders(telephone, late))
        resolution = telephone.wait_for_result(rolls=rolls)
        script = telephone.page("desk-telephone-script")
        for event in resolution.events:
            if event["kind"] == "attack":
                assert game.rules.speech.event(event, {}).partition(".")[0] in script
    assert phases == 2 * turns_played
    assert watch.now - began < timedelta(days=7)
    assert "have won" in script or "has won" in script

    _check_the_record(telephone, phases)


def _check_the_record(telephone: Telephone, phases: int) -> None:
    game = telephone.game
    # Every set of orders came by telephone, was read back with the code that was heard, and names
    # who took it down.
    for submission in Submission.objects.filter(game=game):
        assert submission.channel == "telephone"
        assert submission.read_back == telephone.codes[submission.number]
        assert submission.entered_by == person("ada")
        assert submission.counts
        assert submission.person is not None
        assert submission.person.name == NAMES[submission.seat.nation]
    # A transcript of each waits to be printed, since nobody has e-mail; nothing goes to a stand-in
    # address.
    receipts = Letter.objects.filter(game=game, kind="receipt")
    assert receipts.count() == len(telephone.codes)
    stand_ins = Letter.objects.filter(address__endswith=".invalid")
    assert not stand_ins.exclude(status=Letter.Status.PRINT).exists()
    first = receipts.order_by("pk").first()
    assert first is not None
    text = letter_text(first)
    assert "Ada took them down and read them back under the code" in text
    # The public checker computes the same boards from the record.
    assert verify.check(export.record(game, private=True)) == []
    assert Call.objects.filter(phase__game=game).count() >= phases * 5
    assert Person.objects.filter(by_post=True).count() == 5


@pytest.mark.soak
def test_telephone_evening_of_sequential_attacks_lasts_an_hour(
    as_: Browser, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Source 000, lines 88-96: 6 turns in an hour. Each nation attacks knowing the results of the
    earlier attacks; a phase ends as soon as all its nations have marked their orders as final."""
    short_card(monkeypatch, 6)
    options = {"rng.source": "commit_reveal", "ow2.attacks": "sequential"}
    schedule = {"every": "minutes", "minutes": 5}
    telephone = opened(as_("ada"), watch, options=options, schedule=schedule, may_lock_early=True)
    game, began, kinds = telephone.game, watch.now, []
    while game.status == Game.Status.RUNNING:
        kinds.append(telephone.phase.kind)
        for seat in telephone.owing():
            watch.pass_by(seconds=20 if kinds[-1].startswith("attacks") else 30)
            telephone.take_down(seat, spoken_orders(telephone, seat))
        phase = telephone.phase
        for _ in range(70):  # a phase in which nobody can order anything lasts a minute
            tasks.do_all_due(watch.now)
            phase.refresh_from_db()
            if phase.status == Phase.Status.RESOLVED:
                break
            assert phase.status != Phase.Status.HELD, phase.fault
            watch.pass_by(seconds=1)
        assert phase.status == Phase.Status.RESOLVED
        game.refresh_from_db()
    nations = ("usa", "france", "britain", "russia", "germany")
    assert kinds == ["placement", *(f"attacks-{nation}" for nation in nations), "counters"] * 6
    assert watch.now - began <= timedelta(hours=1)
    assert verify.check(export.record(game, private=True)) == []
