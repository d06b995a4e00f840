"""Play a campaign of World War II Multi-Player: texts and digits in, events out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from games.rules import REFEREE_SEAT, Json, cards
from games.rules.digits import volume_of_roll
from games.rules.options import LIQUID_STOCKS
from games.ww2_multiplayer.rules.ruleset import WW2MultiPlayer
from games.ww2_multiplayer.rules.state import Force, State

RULES = WW2MultiPlayer()
CARD = cards.load("ww2-multiplayer", "standard")
SEATS = {
    6: ("Italy", "France", "USSR", "USA", "Britain", "Germany"),
    5: ("France", "USSR", "USA", "Britain", "Germany"),
    4: ("France", "USSR", "Britain", "Germany"),
}


#: Options of a game in which orders are read in plain words.
PLAIN: dict[str, Any] = {"orders.language": "plain"}


def new_state(players: int = 6, **options: Any) -> State:
    """Return a new campaign. Options by the name after the point: `us_dice="either_order"`."""
    return RULES.setup(
        CARD, {f"spi.{key}": value for key, value in options.items()}, SEATS[players]
    )


def at(state: State, **changes: Any) -> State:
    return replace(state, **changes)


def with_forces(state: State, country: str, **powers: int) -> State:
    """Put Strength Points in a country, all in supply."""
    return state.change_country(
        country, forces={power: Force(sp, sp) for power, sp in powers.items()}
    )


class Campaign:
    """Play the phases in order, judging each from its JSON position, too, with equal results."""

    def __init__(self, players: int = 6, **options: Any) -> None:
        self.options = {
            key if "." in key else f"spi.{key}": value for key, value in options.items()
        }
        self.state = RULES.setup(CARD, self.options, SEATS[players])
        self.events: list[Json] = []
        self.remarks: dict[str, tuple[Any, ...]] = {}
        self.played: list[tuple[Json, dict[str, str], dict[str, int], Json, list[Json]]] = []

    @property
    def kind(self) -> str:
        phase = RULES.phase(self.state)
        return phase.kind if phase else "over"

    def judge(
        self, orders: dict[str, str] | None = None, volumes: dict[str, int] | None = None
    ) -> list[Json]:
        before, texts, figures = RULES.dump(self.state), dict(orders or {}), dict(volumes or {})
        in_force = RULES.in_force(self.state, texts)
        resolution = RULES.resolve(self.state, in_force, figures, LIQUID_STOCKS)
        again = RULES.resolve(
            RULES.load(CARD, self.options, before), in_force, figures, LIQUID_STOCKS
        )
        after = RULES.dump(resolution.state)
        assert (RULES.dump(again.state), again.events) == (after, resolution.events)
        self.state, self.events, self.remarks = (
            resolution.state,
            list(resolution.events),
            dict(resolution.remarks),
        )
        self.played.append((before, in_force, figures, after, self.events))
        return self.events

    def send(self, **texts: str) -> list[Json]:
        """Judge a phase of diplomacy or orders."""
        assert self.kind.partition("-")[0] in ("diplomacy", "orders"), self.kind
        return self.judge(texts)

    def report(self, text: str) -> list[Json]:
        """Judge a report of the gamesmaster."""
        assert self.kind.partition("-")[0] in ("referee", "count"), self.kind
        return self.judge({REFEREE_SEAT: text})

    def dice(self, *faces: int) -> list[Json]:
        """Judge a phase of dice: the published list shows these digits, from its top."""
        assert self.kind.startswith("dice"), self.kind
        return self.judge(
            {},
            {
                stock: volume_of_roll(face)
                for stock, face in zip(LIQUID_STOCKS, faces, strict=False)
            },
        )

    def on_to(self, kind: str, turn: int | None = None) -> Campaign:
        """Play on, with nothing ordered, until a phase of that kind (and turn) is due."""
        for _ in range(400):
            phase = RULES.phase(self.state)
            assert phase is not None, f"the game is over before {kind}"
            if phase.kind == kind and turn in (None, phase.turn):
                return self
            self.step()
        raise AssertionError(f"{kind} never came")

    def step(self) -> None:
        if self.kind.startswith("dice"):
            self.dice(*[6] * 30)
        elif self.kind.partition("-")[0] in ("referee", "count"):
            self.report("REST DONE\nEND")
        else:
            self.send()

    def said(self, who: str = REFEREE_SEAT) -> list[str]:
        return [remark.message for remark in self.remarks.get(who, ())]

    def kinds(self) -> list[str]:
        return [event["kind"] for event in self.events]

    def told(self, kind: str) -> list[Json]:
        return [event for event in self.events if event["kind"] == kind]


def playing(
    players: int = 6, turn: int = 1, orders: dict[str, str] | None = None, **options: object
) -> Campaign:
    """Return a campaign with orders in, before the gamesmaster's first report."""
    campaign = Campaign(players, **{"us_entry": "base_schedule", **options}).on_to("orders", turn)
    campaign.judge(orders or {})
    return campaign
