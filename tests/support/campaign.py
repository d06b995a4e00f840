"""Play campaigns in tests: Ada runs the game, five people play, Charlie is an outsider.

campaign = Campaign.begin(now=MONDAY)
campaign.order("Germany", "PLACE 10 Poland")
campaign.pass_deadline()
assert campaign.board()["Poland"]["Germany"].pf == 10
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, Self

from django.db.models import Q
from django.test import override_settings

from games import desk, positions, tasks
from games.models import Game, Letter, Person, Phase, Pulse, Resolution, Seat
from games.rules import Cell
from orders.intake import ledger
from orders.models import Submission
from tests.support.opening import open_game
from tests.support.stored import stored

NATIONS = ("USA", "France", "Britain", "Russia", "Germany")
PLAYERS = {"USA": "una", "France": "felix", "Britain": "bea", "Russia": "rosa", "Germany": "gustav"}
#: Monday 16 November 2026, noon in New York: long before any deadline.
MONDAY = datetime(2026, 11, 16, 17, 0, tzinfo=UTC)


def person(name: str) -> Person:
    """Return one of these people by first name; create them on first use."""
    return Person.objects.at(f"{name}@example.org", name=name.title())


@dataclass
class Campaign:
    """A running game and its present instant, in this process."""

    game: Game
    now: datetime
    ada: Person
    players: dict[str, Person] = field(default_factory=dict)
    #: Whether games pause where nobody sends orders (games.turns.pauses). Most tests send only the
    #: orders that matter to them, and play on.
    pauses_by_itself: ClassVar[bool] = False

    @classmethod
    def open(
        cls, now: datetime = MONDAY, *, options: Mapping[str, Any] | None = None, **changes: Any
    ) -> Self:
        """Open a game with every seat taken: DEMO exchange, a deadline every hour.

        A process opens and begins a game once for the same arguments, then restores its rows.
        """
        given: dict[str, Any] = {
            "title": "The lights go out",
            "ruleset_id": "origins-ww2",
            "card_name": "historical",
            "options": {"rng.settle": "first_reading", **(options or {})},
            "schedule": {"every": "minutes", "minutes": 60},
            "zone": "America/New_York",
            "market": "demo",
            "reserves": None,
            "seats": {nation: f"{name}@example.org" for nation, name in PLAYERS.items()},
            "may_lock_early": False,
            "public": True,
            **changes,
        }
        return stored(("open", cls, now, repr(given)), lambda: cls._open(now, given))

    @classmethod
    def begin(cls, now: datetime = MONDAY, **given: Any) -> Self:
        """Open such a game and start it."""
        return stored(("begin", cls, now, repr(given)), lambda: cls._begin(now, given))

    @classmethod
    def _open(cls, now: datetime, given: dict[str, Any]) -> Self:
        ada = person("ada")
        campaign = cls(open_game(ada, now, **given), now, ada)
        for seat in campaign.game.seats.all():
            invitation = seat.invitations.first()
            if invitation is not None:
                campaign.players[seat.nation] = person(invitation.email.partition("@")[0])
                desk.accept(invitation, campaign.players[seat.nation], now)
        return campaign

    @classmethod
    def _begin(cls, now: datetime, given: dict[str, Any]) -> Self:
        campaign = cls.open(now, **given)
        desk.start(campaign.game, now)
        campaign.game.refresh_from_db()
        return campaign

    @property
    def phase(self) -> Phase:
        phase = self.game.phases.current()
        assert phase is not None
        return phase

    def seat(self, nation: str) -> Seat:
        return self.game.seats.get(nation=nation)

    def order(
        self, nation: str, text: str, *, at: datetime | None = None, final: bool = False
    ) -> Submission:
        """Send orders by page as the nation's player, now or at an instant."""
        return ledger.receive(
            self.seat(nation),
            text,
            ledger.Arrival("web", self._plays(nation), at or self.now),
            final=final,
        )

    def place_in_poland(self) -> None:
        """Play the placement: Germany has 10 PFs in Poland, France 6."""
        self.order("Germany", "PLACE 10 Poland")
        self.order("France", "PLACE 6 Poland")
        self.pass_deadline()

    def attack_in_poland(self, attack: str = "ATTACK Poland: France STOCK GE") -> None:
        """Play the placement and send the attack of Germany."""
        self.place_in_poland()
        self.order("Germany", attack)

    def _plays(self, nation: str) -> Person | None:
        """Return the nation's player, or the person who has that seat now."""
        sittings = self.seat(nation).sittings.current().select_related("person").order_by("pk")
        people = [sitting.person for sitting in sittings]
        player = self.players.get(nation)
        return player if player in people else next(iter(people), None)

    def wait_until(self, instant: datetime) -> None:
        """Move the clock to an instant and do everything due then.

        A long gap is no outage, and a clock moved back after another campaign is no fault.
        """
        self.now = max(self.now, instant)
        Pulse.objects.filter(at__gt=self.now).delete()
        with override_settings(GIVE_TIME_BACK=False, PAUSE_UNATTENDED=self.pauses_by_itself):
            tasks.do_all_due(self.now)

    def pass_deadline(self) -> Phase:
        """Continue until the open phase is resolved or held; return it."""
        phase = self.phase
        self.wait_until(phase.deadline)
        for _ in range(20):
            phase.refresh_from_db()
            if phase.status in (Phase.Status.RESOLVED, Phase.Status.HELD):
                break
            self.wait_until((phase.due_at or self.now) + timedelta(seconds=1))
        self.game.refresh_from_db()
        return phase

    def resolution(self, phase: Phase | None = None) -> Resolution:
        """Return the newest resolution of a phase, or of the game."""
        rows = (
            Resolution.objects.filter(phase=phase)
            if phase
            else Resolution.objects.filter(phase__game=self.game)
        )
        newest: Resolution | None = rows.order_by("-phase__number", "-version").first()
        assert newest is not None
        return newest

    def board(self) -> Mapping[str, Mapping[str, Cell]]:
        return self.game.rules.board(self.game.load(positions.position(self.game))).cells

    def asking(self, name: str) -> Letter:
        """Return the newest letter to a person that asks for orders.

        It opens a phase, or is a report with the next phase.
        """
        rows = Letter.objects.filter(game=self.game, address=f"{name}@example.org")
        asks = rows.filter(Q(kind="opened") | Q(kind="board", about__has_key="deadline"))
        return asks.select_related("game", "phase", "person").order_by("-pk")[0]

    def letters(self, kind: str, name: str | None = None) -> list[Letter]:
        """Return letters of a kind, to one person or to all, oldest first."""
        rows = Letter.objects.filter(kind=kind, game=self.game).order_by("pk")
        return list(rows.filter(address=f"{name}@example.org") if name else rows)
