"""The form of a game's record: which keys its parts have, and of which type.

The checker checks a document by it, the service writes rows in it (`Form.write`), and an import
restores them from it (`games.records.archive`).
"""

from __future__ import annotations

from typing import Any

from ..markets import MARKETS
from ..ruling_kinds import KINDS
from ..settings import SETTINGS
from ..settling import NEWSPAPER, PUBLISHERS
from .record import RecordError, canonical
from .shapes import (
    Form,
    anything,
    day,
    flag,
    instant,
    list_of,
    map_of,
    one_of,
    or_none,
    seconds,
    table,
    text,
    whole_number,
    wrong,
)

FORMAT = "gamesmaster-record"
VERSION = 1
PHASE_STATUSES = ("open", "locked", "drawing", "resolved", "held", "approval", "undone")
READING_KINDS = ("ok", "no_bar", "no_sales", "unknown", "later")
#: Statuses of a game that is over: its record is complete.
OVER = ("finished", "abandoned")
GAME_STATUSES = ("forming", "running", "paused", *OVER)
#: More than a text that can be received has.
_MOST_LINES = 100_000


def check_form(tree: object) -> None:
    """Raise `RecordError`, naming the key, unless the document is a record.

    Every key must be there and have its type, and there may be no others (`shapes.UnknownKey`).
    """
    if not isinstance(tree, dict) or tree.get("format") != FORMAT:
        raise RecordError(f"This is no record of a game: its “format” is not “{FORMAT}”.")
    version = tree.get("version")
    if isinstance(version, bool) or version != VERSION:
        raise RecordError(
            f"This record is of version {version!r}; this program reads version {VERSION}."
        )
    try:
        canonical(tree)
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise RecordError(
            f"The record is damaged: it contains {half}, which is half a character."
        ) from error
    GAME(tree, "")
    if tree["complete"]:
        for phase in tree["phases"]:
            for resolution in phase["resolutions"]:
                if resolution["orders"] is None or resolution["remarks"] is None:
                    raise RecordError(
                        f"Phase {phase['number']} of the record has no orders, but the record says"
                        " that it is complete."
                    )


def _order(value: Any, where: str) -> None:
    """Check an order as it was understood: the number of its line, and canonical words."""
    list_of(anything)(value, where)
    if len(value) != 2:
        raise wrong(where, "a line number and an order")
    whole_number(value[0], f"{where}[0]")
    text(value[1], f"{where}[1]")
    if not 1 <= value[0] <= _MOST_LINES:
        raise wrong(f"{where}[0]", f"a line number from 1 to {_MOST_LINES:,}")


def _event(value: Any, where: str) -> None:
    """Check an event: its kind and sentence are required, and what others refer to has its type.

    The other fields of a kind are the ruleset's (`JudgmentCheck._events`).
    """
    table(value, where)
    for key in ("kind", "message"):
        if key not in value:
            raise RecordError(f"The record is damaged: “{where}.{key}” is missing.")
    texts = ("kind", "nation", "area", "message")
    for key, check in (*((key, text) for key in texts), ("line", whole_number)):
        if key in value:
            check(value[key], f"{where}.{key}")


_REMARK = Form(line=whole_number, severity=text, code=text, message=text)
RESOLUTION = Form(
    version=whole_number,
    ruling=or_none(whole_number),
    after_ruling=whole_number,
    orders=or_none(map_of(text)),
    events=list_of(_event),
    remarks=or_none(map_of(list_of(_REMARK))),
    before=table,
    after=table,
    scores=map_of(whole_number),
    winners=or_none(list_of(text)),
    closing=text,
    resolved=instant,
)
SUBMISSION = Form(
    number=whole_number,
    seat_number=whole_number,
    nation=text,
    received=instant,
    channel=text,
    text=text,
    edition=whole_number,
    understood=list_of(_order),
    doubt=or_none(Form(lines=list_of(text), may_count=flag)),
    late=flag,
    counts=flag,
    final=flag,
    salt=text,
    previous_hash=text,
    hash=text,
    member=whole_number,
    proposal=flag,
)
#: What a submission of 0.1.0 does not say: which edition of the reader read it, and how.
_SINCE_0_2_0 = {"edition", "understood", "doubt"}
_SUBMISSION_OF_0_1_0 = Form(
    **{key: check for key, check in SUBMISSION.keys.items() if key not in _SINCE_0_2_0}
)


def _submission(value: Any, where: str) -> None:
    is_old = isinstance(value, dict) and _SINCE_0_2_0.isdisjoint(value)
    (_SUBMISSION_OF_0_1_0 if is_old else SUBMISSION)(value, where)


READ = Form(
    exchange=text,
    session=text,
    symbol=text,
    source=text,
    kind=one_of(*READING_KINDS),
    volume=or_none(whole_number),
    time=instant,
    detail=text,
    flag=one_of("", "split", "renamed"),
    facts=table,
    raw=table,
    entered_by_gamesmaster=flag,
    hash=text,
)
READING = Form(number=whole_number, **READ.keys)
FIGURE = Form(
    symbol=text,
    volume=or_none(whole_number),
    reason=text,
    readings=list_of(whole_number),
    settled=instant,
)
DRAW = Form(
    nation=text,
    line=whole_number,
    area=text,
    stock=text,
    volume=whole_number,
    digit=whole_number,
    drawn=instant,
)
DEADLINE_CHANGE = Form(
    old=instant,
    new=instant,
    reason=text,
    changed=instant,
    outage=or_none(Form(since=instant, until=instant)),
)
SESSION_CHANGE = Form(
    old=text,
    old_opens=instant,
    old_closes=instant,
    new=text,
    new_opens=instant,
    new_closes=instant,
    reason=text,
    changed=instant,
)
RULING = Form(
    number=whole_number,
    turn=whole_number,
    phase=whole_number,
    kind=one_of(*KINDS),
    what=table,
    words=text,
    reason=text,
    made=instant,
    revokes=or_none(whole_number),
)
_CELL = Form({"pf": whole_number, "understanding": flag, "control": flag})
#: What is ruled, by kind (games.rules.ruling_kinds).
_RULED = {
    "orders": Form(
        {"text": or_none(text), "submission": whole_number, "withheld": flag}, nation=text
    ),
    "digit": Form(stock=text, volume=or_none(whole_number)),
    "result": Form({"area": text}, nation=text, line=whole_number, result=text),  # 0.1.0: no area
    "position": Form(cells=map_of(map_of(_CELL))),
    "counter": Form(nation=text, area=text, counter=text, given=flag),
    "alliance": Form(nations=list_of(text), allied=flag),
    "controller": Form(nation=text, controller=text),
    "points": Form(nation=text, points=whole_number),
    "option": Form(option=text, value=text),
    "again": Form(),
    "rollback": Form(),
    "revoke": Form(ruling=whole_number),
}


def _ruling(value: Any, where: str) -> None:
    RULING(value, where)
    _RULED[value["kind"]](value["what"], f"{where}.what")


_PRESS_RULES = Form(
    {name.removeprefix("press."): anything for name in SETTINGS if name.startswith("press.")}
)
_SCHEDULE = Form(
    dict.fromkeys(
        (
            *("minutes", "days", "weekday", "weeks", "weekdays"),
            *("sessions", "time", "times", "on", "lasts"),
        ),
        anything,
    ),
    every=text,
)
PRESS = Form(
    **{"from": or_none(text)},
    number=whole_number,
    sent=instant,
    phase=or_none(whole_number),
    to=list_of(text),
    to_all=flag,
    to_gamesmaster=flag,
    answers=or_none(whole_number),
    text=text,
)
DEAL = Form(
    made=instant,
    phase=whole_number,
    by=text,
    to=text,
    text=text,
    counters=or_none(whole_number),
    answer=or_none(text),
    answered=or_none(instant),
)
_POLICY = Form(
    first_after_close=seconds,
    agree_after=or_none(seconds),
    give_up_after=or_none(seconds),
    retry=seconds,
    market=one_of("", *MARKETS),
    floor=whole_number,
    floor_median=whole_number,
)
CLOSURE = Form(
    exchange=text,
    day=day,
    reason=text,
    entered=instant,
    confirmed=or_none(instant),
    removed=or_none(instant),
    removed_because=text,
    readings=list_of(READ),  # of no phase, so without numbers
)
SEAT = Form(
    nation=text,
    bot=flag,
    team=flag,
    by_table=flag,
    referee=flag,
)
#: What parts say beside their names (`entries.SAYS`).
_SAID = {
    "seat": SEAT,
    "start": Form(may_lock_early=flag, seats=list_of(SEAT)),
    "renewed": Form(opened=instant, seed_hash=text, controllers=map_of(text)),
}


def _part(value: Any, where: str) -> None:
    """Check what a part of an entry says. `entries.check` checks its name."""
    list_of(anything)(value, where)
    for place, item in enumerate(value):
        if isinstance(item, dict) and isinstance(value[0], str):
            _SAID.get(value[0], Form())(item, f"{where}[{place}]")


ENTRY = Form(
    number=whole_number,
    made=instant,
    covers=list_of(_part),
    salt=text,
    leaf=text,
    hash=text,
)
#: What the lock sets in a phase (`entries.phase_lock`).
LOCK = Form(
    locked=or_none(instant),
    digest=text,
    leaves=map_of(text),
    missed=list_of(text),
    teams=map_of(list_of(whole_number)),
    holders=or_none(map_of(list_of(whole_number))),
    stocks=list_of(text),
    session=or_none(Form(exchange=text, label=text, opens=instant, closes=instant)),
    policy=or_none(_POLICY),
)
PHASE = Form(
    **LOCK.keys,
    number=whole_number,
    previous=or_none(whole_number),
    turn=whole_number,
    kind=text,
    status=one_of(*PHASE_STATUSES),
    undone_by=or_none(whole_number),
    controllers=map_of(text),
    opened=instant,
    deadline=instant,
    deadline_changes=list_of(DEADLINE_CHANGE),
    session_changes=list_of(SESSION_CHANGE),
    seed_hash=text,
    seed=text,
    submissions=list_of(_submission),
    readings=list_of(READING),
    later_readings=list_of(READING),
    figures=list_of(FIGURE),
    draws=list_of(DRAW),
    resolutions=list_of(RESOLUTION),
    board=or_none(table),
)
#: Who sat in a seat when; only in a record that its gamesmaster has exported for people.
_SITTING = Form(name=text, since=instant, until=or_none(instant))
#: What is fixed when a game begins (`entries.start`).
BEGINNING = Form(
    game=text,
    card=table,
    options=table,
    reserves=list_of(text),
    market=one_of("demo", "recorded", NEWSPAPER, *PUBLISHERS),
    second_source=one_of("", *PUBLISHERS),
    strict_evening=flag,
    started=or_none(instant),
    secret_hash=text,
)
GAME = Form(
    **BEGINNING.keys,
    format=text,
    version=whole_number,
    id=whole_number,
    title=text,
    complete=flag,
    status=one_of(*GAME_STATUSES),
    card_name=text,
    schedule=_SCHEDULE,
    zone=text,
    may_lock_early=flag,
    public=flag,
    opened=instant,
    finished=or_none(instant),
    abandonment=or_none(Form(at=instant, words=text, reason=text)),
    seats=list_of(Form({"people": list_of(_SITTING)}, **SEAT.keys)),
    secret=text,
    start=table,
    phases=list_of(PHASE),
    rulings=list_of(_ruling),
    press_rules=_PRESS_RULES,
    press=list_of(PRESS),
    deals=list_of(DEAL),
    closures=list_of(CLOSURE),
    entries=list_of(ENTRY),
)
