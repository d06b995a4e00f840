"""The schemas of all answers and request bodies."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from ninja import Schema
from pydantic import BaseModel, Field

Score = dict[str, int]


class Problem(Schema):
    """Why a request was refused."""

    detail: str


#: The error answers of operations that read, for the schema.
#: 304: not modified. 401: the token is not valid. 404: not found, or not yours to see. 422: an
#: invalid value. 429: too many requests. 503: the service receives nothing at the moment.
READ: dict[int, Any] = {
    304: None,
    401: Problem,
    404: Problem,
    422: Problem,
    429: Problem,
    503: Problem,
}
#: The same of operations that write.
#: 400: not JSON. 403: not yours to do. 409: not possible now. 413: too long.
WRITE: dict[int, Any] = {
    **{status: form for status, form in READ.items() if status != 304},
    400: Problem,
    403: Problem,
    409: Problem,
    413: Problem,
}


class Seat(Schema):
    """A nation of a game and who plays it."""

    nation: str
    players: list[str] = Field(
        description="Names; empty for people without a name, and in an anonymous game."
    )
    played_by: str = Field(description="people, program or ally; nobody for a free seat.")
    orders: str = Field(description="In an open phase: none, sent or final; else empty.")
    acts: bool = Field(description="Whether the nation orders in the phase.")
    mine: bool
    score: int | None = Field(description="As if the game ended now; null if it is hidden.")


class Phase(Schema):
    """One deadline of a game."""

    number: int
    turn: int
    kind: str
    title: str
    status: str
    opened_at: datetime
    deadline: datetime | None = Field(description="Null if nothing is due.")
    locked_at: datetime | None
    digest: str = Field(description="SHA-256 over the orders in force, once they are locked.")
    stocks: list[str] = Field(description="Stocks that the locked orders name.")
    session: str = Field(description="The trading session whose sales decide.")
    versions: int = Field(description="Number of versions of the result; 0: none yet.")


class GameInList(Schema):
    id: int
    title: str
    ruleset: str
    scenario: str
    status: str
    public: bool
    practice: bool
    opened_at: datetime
    finished_at: datetime | None
    url: str = Field(description="The page of the game.")


class Games(Schema):
    games: list[GameInList]
    next: int | None = Field(description="`after` for the next page; null on the last page.")


class Game(GameInList):
    zone: str
    schedule: dict[str, Any]
    market: str
    options: dict[str, Any]
    started_at: datetime | None
    runs: bool = Field(description="Whether you run the game.")
    seats: list[Seat]
    phase: Phase | None
    winners: list[str] | None
    record_hash: str


class Phases(Schema):
    phases: list[Phase]


class Cell(Schema):
    """What one nation has in one area."""

    pf: int
    understanding: bool
    control: bool
    face_down: int
    treaty: bool
    cut_off: int


class Land(Schema):
    """The state of an area, in games where areas have one."""

    controller: str
    home: str
    hostile: list[str]
    destroyed: bool
    lost: bool
    state: str


class Board(Schema):
    """The board as you may see it."""

    phase: int
    version: int = Field(
        description="0: the board as orders open; otherwise the version of the result."
    )
    unit: str
    areas: list[str]
    nations: list[str]
    cells: dict[str, dict[str, Cell]]
    lands: dict[str, Land]
    alliances: list[list[str]]
    at_odds: list[list[str]]


class Judged(Schema):
    """Orders as they were judged, with the remarks on them."""

    nation: str
    text: str
    remarks: list[dict[str, Any]]


class Report(Schema):
    """The result of a phase, in one version."""

    phase: int
    version: int
    versions: int
    resolved_at: datetime
    ruling: int | None = Field(description="The ruling that made this version.")
    events: list[dict[str, Any]]
    orders: list[Judged] = Field(description="Only nations whose orders you may read.")
    scores: Score
    winners: list[str] | None
    closing: str


class Figure(Schema):
    """The sales of one stock as a phase takes them."""

    symbol: str
    volume: int | None = Field(description="Null: no usable report.")
    reason: str
    settled_at: datetime


class Figures(Schema):
    phase: int
    session: str
    figures: list[Figure]


class Mark(Schema):
    """The scores that a phase left."""

    phase: int
    title: str
    resolved_at: datetime
    scores: Score
    winners: list[str]


class Standings(Schema):
    game: int
    scores: Score = Field(description="As of now; empty if they are hidden.")
    remark: str
    marks: list[Mark]


class ScenarioInList(Schema):
    ruleset: str
    name: str
    title: str
    mine: bool
    shipped: bool


class Scenarios(Schema):
    scenarios: list[ScenarioInList]


class Scenario(ScenarioInList):
    card: dict[str, Any] = Field(description="The scenario.")


class SeatHeld(Schema):
    game: int
    nation: str


class Me(Schema):
    name: str
    zone: str
    scopes: list[str]
    seats: list[SeatHeld]
    runs: list[int] = Field(description="Games that you run.")


class Line(Schema):
    """An accepted line of orders, by its number, in canonical words."""

    line: int
    order: str


class Doubt(Schema):
    """What orders in doubt would order. Send these lines to confirm them."""

    lines: list[str] = Field(description="In canonical words; empty where there is no one reading.")
    may_count: bool = Field(
        description="Whether they may count at the deadline if nothing else is in force."
    )


class Submission(Schema):
    """Orders as they were received."""

    number: int = Field(description="Numbers the submissions of this nation.")
    nation: str
    phase: int
    received_at: datetime
    channel: str
    text: str
    understood: list[Line]
    remarks: list[dict[str, Any]]
    doubt: Doubt | None = Field(None, description="Orders in doubt change nothing.")
    final: bool
    proposal: bool
    late: bool
    counts: bool
    in_force: bool
    hash: str


class OwnOrders(Schema):
    """Your orders for one nation in a phase."""

    nation: str
    acts: bool
    due: bool = Field(description="Whether you still owe orders.")
    in_force: int | None = Field(description="Number of the submission in force.")


class Orders(Schema):
    phase: Phase | None
    own: list[OwnOrders]
    submissions: list[Submission] = Field(description="Those of the phase that you may read.")


class Body(BaseModel):
    """What a program sends. Nothing is converted: “1”, 1.0 and true are no numbers."""

    model_config = {"extra": "forbid", "strict": True}


class NewOrders(Body):
    """Orders to send."""

    nation: Annotated[str, Field(min_length=1, max_length=40)]
    text: Annotated[str, Field(min_length=1, max_length=20_000)] = Field(
        description="One order per line, as by mail."
    )
    final: bool = Field(False, description="You need no more time.")
    phase: Annotated[int, Field(ge=1, le=32_767)] | None = Field(
        None, description="The phase you mean; if it has closed, the orders are late."
    )


class PromiseOutcome(Schema):
    """The outcome of one nation's promise."""

    nation: str
    promise: str
    result: Literal["kept", "broken", "open", "impossible"]
    why: str


class Deal(Schema):
    """A deal that a nation proposed to another. It binds nobody."""

    number: int | None = Field(
        description="The number that your nation knows it by; null if you only watch."
    )
    by: str
    to: str
    text: str = Field(description="The promises, in the form in which you could propose them.")
    promises: list[str] = Field(description="The same promises, one sentence each.")
    made_at: datetime
    phase: int
    status: Literal["open", "lapsed", "accepted", "declined", "countered", "withdrawn"]
    reason: str = Field(description="Why a program did not accept it; empty for people.")
    counters: int | None = Field(
        description="The deal that this one answers as a counter-proposal."
    )
    outcomes: list[PromiseOutcome]


class NewDeal(Body):
    """A deal to propose."""

    nation: Annotated[str, Field(min_length=1, max_length=40)]
    to: Annotated[str, Field(max_length=40)] = Field("", description="Not needed with `counters`.")
    text: Annotated[str, Field(min_length=1, max_length=1_000)] = Field(
        description="Promises as by mail: PEACE Poland UNTIL TURN 4; I LEAVE Austria"
    )
    counters: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = Field(
        None, description="The deal that this one answers."
    )


class DealAnswer(Body):
    """What to do with a deal."""

    nation: Annotated[str, Field(min_length=1, max_length=40)]
    answer: Literal["accepted", "declined", "withdrawn"]


class Webhook(Schema):
    """An address of yours that gets notices."""

    id: str
    label: str
    added_at: datetime
    paused: bool


class Webhooks(Schema):
    webhooks: list[Webhook]


class NewWebhook(Webhook):
    secret: str = Field(description="For checking the signatures of notices. Not shown again.")


class WebhookAddress(Body):
    """A webhook to add."""

    url: Annotated[str, Field(min_length=1, max_length=400)] = Field(
        description="Begins with https://."
    )
    label: Annotated[str, Field(max_length=60)] = ""


class WebhookChange(Body):
    """What to change of a webhook."""

    paused: bool
