"""Letters about what was done at the desk: pauses, schedules, seats, gamesmasters, and the game so
far for a newcomer.

Each rests on an `Act`, whose one sentence names nations and never persons; who plays a nation now
is told by name, never by address.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from games.models import Act, Game, Letter, Person, Phase, Resolution, Sitting, Standby
from games.outbox import rows
from games.turns import schedule
from games.webhooks import rows as channels

from . import facts, story, wording
from .facts import Facts

#: What is left out of the game so far: where every point was placed is what the board shows.
TOLD_BY_THE_BOARD = (
    "placed",
    "kept_home",
    "not_placed",
    "left_home",
    "placed_face_down",
    "turned_up",
)


# --- written inside the transaction of the act ---


def _about(act: Act, phase: Phase | None) -> dict[str, Any]:
    about: dict[str, Any] = {"act": act.pk}
    if phase is not None and phase.status == Phase.Status.OPEN and phase.deadline < schedule.STANDS:
        about["deadline"] = phase.deadline.isoformat()
    return about


def _to(readers: Iterable[rows.Reader], kind: str, act: Act, now: datetime, **more: Any) -> None:
    rows.to(
        readers, act.game, act.phase, kind, f"{kind}-{act.pk}", now, _about(act, act.phase) | more
    )


def _channels(act: Act, now: datetime) -> None:
    """The game's channels hear what everybody does: the sentence of the act, and the deadline that
    is open now."""
    about = _about(act, act.phase)
    if act.kind == "abandoned":
        about.pop("deadline", None)
    channels.tell(act.game, "act", f"act-{act.pk}", now, about)


def paused(act: Act, now: datetime, left: float | None) -> None:
    """To everybody: the clock stands. `left` is how many seconds an open phase has left, None where
    no orders are open."""
    _to(rows.everybody(act.game), "paused", act, now, left=left)
    _channels(act, now)


def resumed(act: Act, now: datetime) -> None:
    """To everybody: the game goes on, with the new deadline."""
    _to(rows.everybody(act.game), "resumed", act, now)
    _channels(act, now)


def rescheduled(act: Act, now: datetime) -> None:
    """To everybody: deadlines come by another rule, and what the open one is."""
    _to(rows.everybody(act.game), "rescheduled", act, now)
    _channels(act, now)


def told(act: Act, now: datetime) -> None:
    """To everybody: something about the running of the game that its sentence says."""
    _to(rows.everybody(act.game), "change", act, now)


def abandoned(act: Act, now: datetime) -> None:
    """To everybody: the game has been given up."""
    _to(rows.everybody(act.game), "abandoned", act, now)
    _channels(act, now)


def seat(act: Act, newcomer: Person | None, now: datetime) -> None:
    """To everybody but the newcomer: who plays a seat has changed. He himself gets the game so
    far."""
    readers = [
        reader
        for reader in rows.everybody(act.game)
        if newcomer is None or reader.person.pk != newcomer.pk
    ]
    _to(readers, "seat", act, now, newcomer=newcomer.pk if newcomer else None)


def spokesman(act: Act, now: datetime) -> None:
    """To the team itself: somebody else speaks for it. For nobody else anything changes by it."""
    readers = [reader for reader in rows.everybody(act.game) if act.seat_id in reader.seats]
    _to(readers, "spokesman", act, now)


def farewell(act: Act, person: Person, now: datetime) -> None:
    """To somebody whose sitting has ended: that it has, and why."""
    _to([rows.Reader(person)] if person.is_active else [], "left", act, now)


def newcomer(sitting: Sitting, phase: Phase | None, now: datetime) -> None:
    """To somebody who takes a seat of a game that has begun: the board, the scores, what happened,
    what is due when."""
    game = sitting.seat.game
    newest = (
        Resolution.objects.filter(phase__game=game, phase__status=Phase.Status.RESOLVED)
        .order_by("-phase__number", "-version")
        .first()
    )
    about: dict[str, Any] = {"sitting": sitting.pk, "resolution": newest.pk if newest else None}
    if phase is not None and phase.status == Phase.Status.OPEN and not phase.sheeted:
        about["deadline"] = phase.deadline.isoformat()
    reader = rows.Reader(sitting.person, [sitting.seat_id])
    rows.to([reader], game, phase, "newcomer", f"newcomer-{sitting.pk}", now, about)


def asks_for_seat(standby: Standby, now: datetime) -> None:
    """To the gamesmasters: somebody stands by to take over a seat of their game."""
    game = standby.game
    assert game is not None, "one who stands by for any game asks nobody"
    rows.to(
        rows.gamesmasters(game),
        game,
        None,
        "asks",
        f"asks-{standby.pk}",
        now,
        {"standby": standby.pk},
    )


def gamesmasters(act: Act, person: Person | None, now: datetime) -> None:
    """To everybody, and to whoever acted: who runs the game has changed. `person` is the new one,
    where there is one."""
    readers = rows.everybody(act.game)
    if act.done_by is not None and act.done_by.pk not in {reader.person.pk for reader in readers}:
        readers.append(rows.Reader(act.done_by))
    _to(readers, "handed", act, now, person=person.pk if person else None)


def vacant(act: Act, now: datetime) -> None:
    """To the gamesmasters: a seat has been silent for as many phases as the game allows."""
    _to(rows.gamesmasters(act.game), "vacant", act, now)


# --- what they say ---


def _act(letter: Letter) -> Facts:
    act = Act.objects.select_related("done_by", "seat").get(pk=letter.about["act"])
    game = facts.game_of(letter)
    return {
        **facts.deadline_of(letter, game),
        "words": facts.one_line(act.words),
        "reason": facts.one_line(act.reason),
        "by": (facts.who(act.done_by) or "the gamesmaster") if act.done_by else "the service",
        "nation": act.seat.nation if act.seat else "",
        "orders_links": [
            (one.nation, facts.link("orders", game.pk, one.pk)) for one in facts.seats_of(letter)
        ],
        "open_phase": letter.phase.title if letter.phase and "deadline" in letter.about else "",
    }


def _paused(letter: Letter) -> Facts:
    left = letter.about["left"]
    return {
        **_act(letter),
        "left": span(left) if left is not None else "",
        "open": left is not None,
    }


def span(seconds: float) -> str:
    """“3 days and 4 hours”, “25 minutes”: exact enough for somebody who plans his week."""
    minutes = max(0, int(seconds // 60))
    parts = [(minutes // 1440, "day"), (minutes % 1440 // 60, "hour"), (minutes % 60, "minute")]
    told = [f"{number} {unit}{'' if number == 1 else 's'}" for number, unit in parts if number]
    return " and ".join(told[:2]) or "less than a minute"


def _seat(letter: Letter) -> Facts:
    newcomer = (
        Person.objects.filter(pk=letter.about["newcomer"]).first()
        if letter.about["newcomer"]
        else None
    )
    joins = Act.objects.get(pk=letter.about["act"]).kind == "joined"
    return {
        **_act(letter),
        "newcomer": facts.who(newcomer),
        "taken": newcomer is not None,
        "joins": joins,
    }


def _spokesman(letter: Letter) -> Facts:
    """Who speaks for the reader's team from then on, and what that means for him."""
    chosen = Person.objects.get(pk=Act.objects.get(pk=letter.about["act"]).about["person"])
    return {
        **_act(letter),
        "spokesman": facts.who(chosen) or "Somebody of your team",
        "mine": chosen.pk == letter.person_id,
    }


def _handed(letter: Letter) -> Facts:
    person = (
        Person.objects.filter(pk=letter.about["person"]).first() if letter.about["person"] else None
    )
    return {
        **_act(letter),
        "yours": person is not None and letter.person_id == person.pk,
        "whom": facts.who(person),
        "desk_link": facts.link("desk", facts.game_of(letter).pk),
    }


def _vacant(letter: Letter) -> Facts:
    act = Act.objects.get(pk=letter.about["act"])
    return {
        **_act(letter),
        "missed": act.about["missed"],
        "people_link": facts.link("desk-people", facts.game_of(letter).pk),
    }


def _asks(letter: Letter) -> Facts:
    standby = Standby.objects.select_related("person").get(pk=letter.about["standby"])
    return {
        "whom": facts.who(standby.person) or "Somebody",
        "note": facts.one_line(standby.note),
        "address": standby.person.email,
        "people_link": facts.link("desk-people", facts.game_of(letter).pk),
    }


def _newcomer(letter: Letter) -> Facts:
    game, seats = facts.game_of(letter), facts.seats_of(letter)
    state = facts.state_after(game, letter.about["resolution"])
    standing = (
        game.rules.standing(game.rules.view(state, None)) if letter.about["resolution"] else None
    )
    charts = dict(game.rules.guide.charts(game.rules.view(state, seats[0].nation)))
    return {
        **facts.board_of(game, facts.seen_by(game, state, seats), "The board now", letter.phase),
        **facts.deadline_of(letter, game),
        "nation": seats[0].nation,
        "awaited": letter.phase.awaited if letter.phase is not None else "",
        "own_sheet": list(charts.get(seats[0].nation, ())),
        "scores": sorted(standing.scores.items(), key=lambda entry: -entry[1]) if standing else [],
        "sums": wording.of_sums(standing) if standing else [],
        "past": _past(game, letter.about["resolution"]),
        "open_phase": letter.phase.title if letter.phase and "deadline" in letter.about else "",
        "orders_links": [(one.nation, facts.link("orders", game.pk, one.pk)) for one in seats],
        "primer": f"mail/primer/{game.ruleset_id}.txt",
        "primer_html": f"mail/primer/{game.ruleset_id}.html",
    }


def _past(game: Game, newest: int | None) -> list[tuple[str, str, list[str]]]:
    """The phases up to a resolution: title, address of the report, and what happened, without what
    the board tells anyhow."""
    last = Resolution.objects.select_related("phase").get(pk=newest).phase if newest else None
    past: list[tuple[str, str, list[str]]] = []
    while last is not None:
        last.game = game
        resolution = last.resolutions.order_by("-version").first()
        told = (
            [event for event in resolution.events if event["kind"] not in TOLD_BY_THE_BOARD]
            if resolution
            else []
        )
        sentences = [one.sentence for one in story.tell(told, False, {})]
        past.append((last.title, facts.link("phase", game.pk, last.number), sentences))
        last = last.previous
    return past[::-1]


TELLERS: dict[str, Callable[[Letter], Facts]] = {
    "paused": _paused,
    "resumed": _act,
    "rescheduled": _act,
    "change": _act,
    "abandoned": _act,
    "seat": _seat,
    "spokesman": _spokesman,
    "left": _act,
    "newcomer": _newcomer,
    "asks": _asks,
    "handed": _handed,
    "vacant": _vacant,
}
