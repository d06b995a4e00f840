"""A refereed game, a campaign of World War II Multi-Player that tests can play
through the service.

war = Refereed.begin(players=6)
war.order("France", "ALLY Britain")      # as the power's player; of a power in another hand as
                                         whoever holds it
war.pass_deadline()                      # diplomacy or orders, with what has been sent
war.sheet("REST DONE\\nEND")              # as Ada, who runs it; `war.sheeted` says whether a sheet
                                          is due
war.carry_out()                          # the hour in which it may be corrected is over: the phase
                                         is judged, dice that follow too
war.play_to("count")                     # plays on with what `texts` and `sheets` say, else with
                                         passes and “REST DONE, END”
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from games import desk, permissions, positions
from games.models import Person, Phase, Seat
from games.rules import REFEREE_SEAT
from orders import in_force, ledger
from orders.models import Submission
from tests.support.campaign import MONDAY, Campaign, person

#: Whoever plays a power, where he has a seat of it.
PLAYERS = {
    "Italy": "ida",
    "France": "felix",
    "USSR": "rosa",
    "USA": "una",
    "Britain": "bea",
    "Germany": "gustav",
}
#: The powers that have a seat of their own, by the number of players (2.0).
SEATS = {
    6: tuple(PLAYERS),
    5: ("France", "USSR", "USA", "Britain", "Germany"),
    4: ("France", "USSR", "Britain", "Germany"),
}
#: A sheet that lets everything be done and ends the Player-Turn.
DONE = "REST DONE\nEND"
#: A campaign that is over after so many Game-Turns, by the clock of the DEMO exchange.
SHORT: Mapping[str, Any] = {"spi.diplomacy_days": 0, "rng.settle": "first_reading"}

Texts = Callable[[Phase], Mapping[str, str]]
Sheets = Callable[[Phase], str]


class Refereed(Campaign):
    """A refereed game being played: Ada runs it and sits nowhere, four to six people play."""

    @classmethod
    def open(
        cls,
        now: datetime = MONDAY,
        *,
        players: int = 6,
        options: Mapping[str, Any] | None = None,
        **changes: Any,
    ) -> Refereed:
        """A game with all seats taken, not begun; by default DEMO, a deadline every hour."""
        seats = {
            power: f"{name}@example.org" if power in SEATS[players] else "table"
            for power, name in PLAYERS.items()
        }
        given = {
            "title": "The map on the table",
            "ruleset_id": "ww2-multiplayer",
            "card_name": "standard",
            "seats": seats,
            **changes,
        }
        campaign = super().open(now, options={**SHORT, **(options or {})}, **given)
        assert isinstance(campaign, cls)
        return campaign

    @classmethod
    def begin(cls, now: datetime = MONDAY, **given: Any) -> Refereed:
        campaign = cls.open(now, **given)
        desk.start(campaign.game, campaign.ada, now)
        campaign.game.refresh_from_db()
        return campaign

    @property
    def referee(self) -> Seat:
        return self.game.seats.get(referee=True)

    @property
    def sheeted(self) -> bool:
        """Whether everybody waits for a sheet."""
        return in_force.awaits_sheet(self.phase)

    @property
    def over(self) -> bool:
        self.game.refresh_from_db()
        return self.game.status == "finished"

    def state(self, reader: str | None = REFEREE_SEAT) -> Any:
        """The position now as somebody may see it: a power, the gamesmaster, the public (None)."""
        return permissions.view(self.game, positions.position(self.game), reader)

    def sheet(
        self,
        text: str = DONE,
        *,
        by: Person | None = None,
        at: datetime | None = None,
        final: bool = False,
        channel: str = "web",
    ) -> Submission:
        """Sends a sheet as whoever runs the game, now or at an instant."""
        given: Any = {"channel": channel, "person": by or self.ada, "final": final}
        return ledger.receive(self.referee, text, now=at or self.now, **given)

    def carry_out(self) -> Phase:
        """Let the open phase and the dice after it be judged; return it as it is then."""
        phase = self.phase
        if phase.sheeted:
            assert phase.due_at is not None, "no sheet has been sent"
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

    def step(self, texts: Texts | None = None, sheets: Sheets | None = None) -> Phase:
        """Play the open phase with `texts` or `sheets`; else pass, or say that all is done."""
        phase = self.phase
        if phase.sheeted:
            self.sheet(sheets(phase) if sheets else DONE)
        elif texts is not None and not phase.idle:
            for power, text in texts(phase).items():
                self.order(power, text)
        return self.carry_out()

    def play_to(
        self,
        kind: str,
        texts: Texts | None = None,
        sheets: Sheets | None = None,
        *,
        turn: int | None = None,
    ) -> Phase:
        """Play on to the next phase of such a kind ("orders", "count"), of one turn if named."""
        for _ in range(2000):
            phase = self.phase
            if phase.kind.startswith(kind) and turn in (None, phase.turn):
                return phase
            assert not self.over, f"the game is over, and no {kind} came"
            self.step(texts, sheets)
        raise AssertionError(f"no {kind} came")

    def play_out(self, texts: Texts | None = None, sheets: Sheets | None = None) -> None:
        """Plays to the end of the game."""
        while not self.over:
            self.step(texts, sheets)

    def _plays(self, nation: str) -> Person | None:
        """Whoever sends a power's orders now: its player, or the one who controls it."""
        return super()._plays(self.phase.controllers.get(nation, nation))


__all__ = ["DONE", "MONDAY", "PLAYERS", "SEATS", "SHORT", "Refereed", "person"]
