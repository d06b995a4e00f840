"""A refereed game for tests: a campaign of World War II Multi-Player, played through the service.

war = Refereed.begin(players=6)
war.order("France", "ALLY Britain")      # as the power's player or controller
war.pass_deadline()                      # diplomacy or orders, with what has been sent
war.report("REST DONE\\nEND")             # as Ada, its gamesmaster; `war.report_owed`: one is due
war.carry_out()                          # pass the hour for corrections: the phase and the dice
                                         # after it are judged
war.play_to("count")                     # play on with `texts` and `reports`; by default passes
                                         # and “REST DONE, END”
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Self

from games import permissions, positions
from games.models import Person, Phase, Seat
from games.positions import in_force
from games.rules import REFEREE_SEAT
from orders.intake import ledger
from orders.models import Submission
from tests.support.campaign import MONDAY, Campaign, person

#: The person who plays each power, if it has a seat of its own.
PLAYERS = {
    "Italy": "ida",
    "France": "felix",
    "USSR": "rosa",
    "USA": "una",
    "Britain": "bea",
    "Germany": "gustav",
}
#: Powers with a seat of their own, by number of players (2.0).
SEATS = {
    6: tuple(PLAYERS),
    5: ("France", "USSR", "USA", "Britain", "Germany"),
    4: ("France", "USSR", "Britain", "Germany"),
}
#: A report that carries out everything and ends the Player-Turn.
DONE = "REST DONE\nEND"
#: Options for fast games by the clock of the DEMO exchange.
SHORT: Mapping[str, Any] = {"spi.diplomacy_days": 0, "rng.settle": "first_reading"}

Texts = Callable[[Phase], Mapping[str, str]]
Reports = Callable[[Phase], str]


class Refereed(Campaign):
    """A refereed game in play: Ada is its gamesmaster and has no seat; four to six people play."""

    @classmethod
    def open(
        cls,
        now: datetime = MONDAY,
        *,
        players: int = 6,
        options: Mapping[str, Any] | None = None,
        **changes: Any,
    ) -> Self:
        """Open a game with all seats taken, not yet begun; by default DEMO, a deadline every
        hour."""
        seats = {
            power: f"{name}@example.org" if power in SEATS[players] else "table"
            for power, name in PLAYERS.items()
        }
        arguments = {
            "title": "The map on the table",
            "ruleset_id": "ww2-multiplayer",
            "card_name": "standard",
            "seats": seats,
            **changes,
        }
        return super().open(now, options={**SHORT, **(options or {})}, **arguments)

    @property
    def referee(self) -> Seat:
        return self.game.seats.get(referee=True)

    @property
    def report_owed(self) -> bool:
        """Whether everybody waits for a report."""
        return in_force.is_report_owed(self.phase)

    @property
    def over(self) -> bool:
        self.game.refresh_from_db()
        return self.game.status == "finished"

    def state(self, reader: str | None = REFEREE_SEAT) -> Any:
        """Return the present position as a reader may see it: a power, the gamesmaster, the public
        (None)."""
        return permissions.view(self.game, positions.position(self.game), reader)

    def report(
        self,
        text: str = DONE,
        *,
        by: Person | None = None,
        at: datetime | None = None,
        final: bool = False,
        channel: str = "web",
    ) -> Submission:
        """Send a report as the gamesmaster, now or at an instant."""
        arrival = ledger.Arrival(channel, by or self.ada, at or self.now)
        return ledger.receive(self.referee, text, arrival, final=final)

    def carry_out(self) -> Phase:
        """Judge the open phase and the dice after it; return the phase."""
        phase = self.phase
        if not phase.has_deadline:
            assert phase.due_at is not None, "no report has been sent"
            self.wait_until(phase.due_at)
            self._judged(phase)
        else:
            phase = self.pass_deadline()
        while not self.over and self.phase.idle and self.phase.status != Phase.Status.HELD:
            self.pass_deadline()
        return phase

    def _judged(self, phase: Phase) -> None:
        for _ in range(20):
            phase.refresh_from_db()
            if phase.status in (Phase.Status.RESOLVED, Phase.Status.HELD):
                break
            self.wait_until((phase.due_at or self.now) + timedelta(seconds=1))
        self.game.refresh_from_db()

    def step(self, texts: Texts | None = None, reports: Reports | None = None) -> Phase:
        """Play the open phase with `texts` or `reports`; by default pass, or report that all is
        done."""
        phase = self.phase
        if not phase.has_deadline:
            self.report(reports(phase) if reports else DONE)
        elif texts is not None and not phase.idle:
            for power, text in texts(phase).items():
                self.order(power, text)
        return self.carry_out()

    def play_to(
        self,
        kind: str,
        texts: Texts | None = None,
        reports: Reports | None = None,
        *,
        turn: int | None = None,
    ) -> Phase:
        """Play on to the next phase of a kind ("orders", "count"), of a turn if given."""
        for _ in range(2000):
            phase = self.phase
            if phase.kind.startswith(kind) and turn in (None, phase.turn):
                return phase
            assert not self.over, f"the game is over, and no {kind} came"
            self.step(texts, reports)
        raise AssertionError(f"no {kind} came")

    def play_out(self, texts: Texts | None = None, reports: Reports | None = None) -> None:
        """Play to the end of the game."""
        while not self.over:
            self.step(texts, reports)

    def _plays(self, nation: str) -> Person | None:
        """Return the person who sends a power's orders now: its player or its controller's."""
        return super()._plays(self.phase.controllers.get(nation, nation))


__all__ = ["DONE", "MONDAY", "PLAYERS", "SEATS", "SHORT", "Refereed", "person"]
