"""The form of a game's record (contract.md 5): which keys its parts have, and of which type.

The checker checks a document by it, the service writes rows in it (`Form.write`), and an import
restores them from it (`games.records.archive`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any

from .. import Json
from ..markets import MARKETS
from ..ruling_kinds import KINDS
from ..settings import SETTINGS
from .record import RecordError, canonical, instant

FORMAT = "gamesmaster-record"
VERSION = 1
PHASE_STATUSES = ("open", "locked", "drawing", "resolved", "held", "approval", "undone")
READING_KINDS = ("ok", "no_bar", "no_sales", "unknown", "later")
#: Statuses of a game that is over: its record is complete.
OVER = ("finished", "abandoned")
GAME_STATUSES = ("forming", "running", "paused", *OVER)
#: Ten years, in seconds: no figure takes longer.
_LONGEST = 10 * 366 * 86400
#: More than a text that can be received has.
_MOST_LINES = 100_000

Check = Callable[[Any, str], None]


class UnknownKey(RecordError):
    """A record with a key that no record has, which people might read instead of the true one."""

    def __init__(self, where: str, value: object) -> None:
        strange = sorted({sign for sign in where if not sign.isascii()})
        signs = ", ".join(f"“{sign}” is U+{ord(sign):04X}" for sign in strange)
        self.key, self.value = f"“{where}”{f' ({signs})' if signs else ''}", value
        super().__init__(f"The record has a key that no record has: {self.key}.")


def check_form(tree: object) -> None:
    """Raise `RecordError`, naming the key, unless the document is a record.

    Every key must be there and have its type, and there may be no others (`UnknownKey`).
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


def _wrong(where: str, wanted: str) -> RecordError:
    return RecordError(f"The record is damaged: “{where}” is not {wanted}.")


def _text(value: Any, where: str) -> None:
    if not isinstance(value, str):
        raise _wrong(where, "text")
    if "\0" in value:
        raise _wrong(where, "text without zero characters")


def _whole_number(value: Any, where: str) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _wrong(where, "a whole number")


def _flag(value: Any, where: str) -> None:
    if not isinstance(value, bool):
        raise _wrong(where, "true or false")


def _instant(value: Any, where: str) -> None:
    _text(value, where)
    try:
        moment = datetime.fromisoformat(value)
        # Other years leave what can be computed with, in any zone.
        fits = 1970 <= moment.year < 3000 and instant(moment) == value
    except ValueError:
        fits = False
    if not fits:
        raise _wrong(where, "an instant in UTC such as 2026-11-24T14:00:00+00:00")


def _day(value: Any, where: str) -> None:
    _text(value, where)
    try:
        fits = date.fromisoformat(value).isoformat() == value
    except ValueError:
        fits = False
    if not fits:
        raise _wrong(where, "a day such as 2026-11-24")


def _seconds(value: Any, where: str) -> None:
    _whole_number(value, where)
    if not 0 <= value <= _LONGEST:
        raise _wrong(where, f"a number of seconds from 0 to {_LONGEST:,}")


def _any(value: Any, where: str) -> None:
    """Accept everything."""


def _table(value: Any, where: str) -> None:
    if not isinstance(value, dict):
        raise _wrong(where, "an object")


def _or_none(check: Check) -> Check:
    def check_value(value: Any, where: str) -> None:
        if value is not None:
            check(value, where)

    return check_value


def _one_of(*words: str) -> Check:
    def check_value(value: Any, where: str) -> None:
        if value not in words:
            raise _wrong(where, f"one of {', '.join(words)}")

    return check_value


def _list(check: Check) -> Check:
    def check_value(value: Any, where: str) -> None:
        if not isinstance(value, list):
            raise _wrong(where, "a list")
        for index, item in enumerate(value):
            check(item, f"{where}[{index}]")

    return check_value


def _map(check: Check) -> Check:
    def check_value(value: Any, where: str) -> None:
        _table(value, where)
        for key, item in value.items():
            check(item, f"{where}.{key}")

    return check_value


class Form:
    """A part of a record: an object with these keys and no others, but for those it `may_have`.

    Rows are written by their form, and restored by it (`games.records.archive`).
    """

    def __init__(self, may_have: Mapping[str, Check] | None = None, /, **keys: Check) -> None:
        self.keys, self._optional = keys, may_have or {}

    def __call__(self, value: Any, where: str) -> None:
        """Raise `RecordError`, naming the key, where a value does not have this form."""
        _table(value, where)
        for key, check in self.keys.items():
            path = f"{where}.{key}" if where else key
            if key not in value:
                raise RecordError(f"The record is damaged: “{path}” is missing.")
            check(value[key], path)
        for key in [key for key in value if key not in self.keys]:
            path = f"{where}.{key}" if where else key
            if key not in self._optional:
                raise UnknownKey(path, value[key])
            self._optional[key](value[key], path)

    def write(self, row: object, **others: Any) -> Json:
        """Return a row of the database in this form. `others`: what the row does not say so.

        The attribute of a key has its name, or that of an instant its name with “_at”.
        """
        written: Json = {}
        for key in self.keys:
            name = key if hasattr(type(row), key) else f"{key}_at"
            value = others[key] if key in others else getattr(row, name)
            written[key] = instant(value) if isinstance(value, datetime) else value
        return written


def _order(value: Any, where: str) -> None:
    """Check an order as it was understood: the number of its line, and canonical words."""
    _list(_any)(value, where)
    if len(value) != 2:
        raise _wrong(where, "a line number and an order")
    _whole_number(value[0], f"{where}[0]")
    _text(value[1], f"{where}[1]")
    if not 1 <= value[0] <= _MOST_LINES:
        raise _wrong(f"{where}[0]", f"a line number from 1 to {_MOST_LINES:,}")


def _event(value: Any, where: str) -> None:
    """Check an event: `kind` is required, and fields that others refer to have their type.

    The other fields of a kind are the ruleset's (`JudgmentCheck._events`).
    """
    _table(value, where)
    if "kind" not in value:
        raise RecordError(f"The record is damaged: “{where}.kind” is missing.")
    texts = ("kind", "nation", "area", "message")
    for key, check in (*((key, _text) for key in texts), ("line", _whole_number)):
        if key in value:
            check(value[key], f"{where}.{key}")


_REMARK = Form(line=_whole_number, severity=_text, code=_text, message=_text)
RESOLUTION = Form(
    version=_whole_number,
    ruling=_or_none(_whole_number),
    after_ruling=_whole_number,
    orders=_or_none(_map(_text)),
    events=_list(_event),
    remarks=_or_none(_map(_list(_REMARK))),
    before=_table,
    after=_table,
    scores=_map(_whole_number),
    winners=_or_none(_list(_text)),
    closing=_text,
    resolved=_instant,
)
SUBMISSION = Form(
    number=_whole_number,
    seat_number=_whole_number,
    nation=_text,
    received=_instant,
    channel=_text,
    text=_text,
    edition=_whole_number,
    understood=_list(_order),
    doubt=_or_none(Form(lines=_list(_text), may_count=_flag)),
    late=_flag,
    counts=_flag,
    final=_flag,
    salt=_text,
    previous_hash=_text,
    hash=_text,
    member=_whole_number,
    proposal=_flag,
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
    exchange=_text,
    session=_text,
    symbol=_text,
    source=_text,
    kind=_one_of(*READING_KINDS),
    volume=_or_none(_whole_number),
    time=_instant,
    detail=_text,
    flag=_one_of("", "split", "renamed"),
    facts=_table,
    raw=_table,
    entered_by_gamesmaster=_flag,
    hash=_text,
)
READING = Form(number=_whole_number, **READ.keys)
FIGURE = Form(
    symbol=_text,
    volume=_or_none(_whole_number),
    reason=_text,
    readings=_list(_whole_number),
    settled=_instant,
)
DRAW = Form(
    nation=_text,
    line=_whole_number,
    area=_text,
    stock=_text,
    volume=_whole_number,
    digit=_whole_number,
    drawn=_instant,
)
DEADLINE_CHANGE = Form(
    old=_instant,
    new=_instant,
    reason=_text,
    changed=_instant,
    outage=_or_none(Form(since=_instant, until=_instant)),
)
SESSION_CHANGE = Form(
    old=_text,
    old_opens=_instant,
    old_closes=_instant,
    new=_text,
    new_opens=_instant,
    new_closes=_instant,
    reason=_text,
    changed=_instant,
)
RULING = Form(
    number=_whole_number,
    turn=_whole_number,
    phase=_whole_number,
    kind=_one_of(*KINDS),
    what=_table,
    words=_text,
    reason=_text,
    made=_instant,
    revokes=_or_none(_whole_number),
)
_PRESS_RULES = Form(
    {name.removeprefix("press."): _any for name in SETTINGS if name.startswith("press.")}
)
_SCHEDULE = Form(
    dict.fromkeys(
        (
            *("minutes", "days", "weekday", "weeks", "weekdays"),
            *("sessions", "time", "times", "on", "lasts"),
        ),
        _any,
    ),
    every=_text,
)
PRESS = Form(
    **{"from": _or_none(_text)},
    number=_whole_number,
    sent=_instant,
    phase=_or_none(_whole_number),
    to=_list(_text),
    to_all=_flag,
    to_gamesmaster=_flag,
    answers=_or_none(_whole_number),
    text=_text,
)
DEAL = Form(
    made=_instant,
    phase=_whole_number,
    by=_text,
    to=_text,
    text=_text,
    counters=_or_none(_whole_number),
    answer=_or_none(_text),
    answered=_or_none(_instant),
)
_POLICY = Form(
    first_after_close=_seconds,
    agree_after=_or_none(_seconds),
    give_up_after=_or_none(_seconds),
    retry=_seconds,
    market=_one_of("", *MARKETS),
    floor=_whole_number,
    floor_median=_whole_number,
)
CLOSURE = Form(
    exchange=_text,
    day=_day,
    reason=_text,
    entered=_instant,
    confirmed=_or_none(_instant),
    removed=_or_none(_instant),
    removed_because=_text,
    readings=_list(READ),  # of no phase, so without numbers
)
SEAT = Form(
    nation=_text,
    bot=_flag,
    team=_flag,
    by_table=_flag,
    referee=_flag,
)
#: What parts say beside their names (`entries.SAYS`).
_SAID = {
    "seat": SEAT,
    "start": Form(may_lock_early=_flag, seats=_list(SEAT)),
    "renewed": Form(opened=_instant, seed_hash=_text, controllers=_map(_text)),
}


def _part(value: Any, where: str) -> None:
    """Check what a part of an entry says. `entries.check` checks its name."""
    _list(_any)(value, where)
    for place, item in enumerate(value):
        if isinstance(item, dict) and isinstance(value[0], str):
            _SAID.get(value[0], Form())(item, f"{where}[{place}]")


ENTRY = Form(
    number=_whole_number,
    made=_instant,
    covers=_list(_part),
    salt=_text,
    leaf=_text,
    hash=_text,
)
#: What the lock sets in a phase (`entries.phase_lock`).
LOCK = Form(
    locked=_or_none(_instant),
    digest=_text,
    leaves=_map(_text),
    missed=_list(_text),
    teams=_map(_list(_whole_number)),
    holders=_or_none(_map(_list(_whole_number))),
    stocks=_list(_text),
    session=_or_none(Form(exchange=_text, label=_text, opens=_instant, closes=_instant)),
    policy=_or_none(_POLICY),
)
PHASE = Form(
    **LOCK.keys,
    number=_whole_number,
    previous=_or_none(_whole_number),
    turn=_whole_number,
    kind=_text,
    status=_one_of(*PHASE_STATUSES),
    undone_by=_or_none(_whole_number),
    controllers=_map(_text),
    opened=_instant,
    deadline=_instant,
    deadline_changes=_list(DEADLINE_CHANGE),
    session_changes=_list(SESSION_CHANGE),
    seed_hash=_text,
    seed=_text,
    submissions=_list(_submission),
    readings=_list(READING),
    later_readings=_list(READING),
    figures=_list(FIGURE),
    draws=_list(DRAW),
    resolutions=_list(RESOLUTION),
    board=_or_none(_table),
)
#: Who sat in a seat when; only in a record that its gamesmaster has exported for people.
_SITTING = Form(name=_text, since=_instant, until=_or_none(_instant))
#: What is fixed when a game begins (`entries.start`).
BEGINNING = Form(
    game=_text,
    card=_table,
    options=_table,
    reserves=_list(_text),
    market=_text,
    second_source=_text,
    strict_evening=_flag,
    started=_or_none(_instant),
    secret_hash=_text,
)
GAME = Form(
    **BEGINNING.keys,
    format=_text,
    version=_whole_number,
    id=_whole_number,
    title=_text,
    complete=_flag,
    status=_one_of(*GAME_STATUSES),
    card_name=_text,
    schedule=_SCHEDULE,
    zone=_text,
    may_lock_early=_flag,
    public=_flag,
    opened=_instant,
    finished=_or_none(_instant),
    abandonment=_or_none(Form(at=_instant, words=_text, reason=_text)),
    seats=_list(Form({"people": _list(_SITTING)}, **SEAT.keys)),
    secret=_text,
    start=_table,
    phases=_list(PHASE),
    rulings=_list(RULING),
    press_rules=_PRESS_RULES,
    press=_list(PRESS),
    deals=_list(DEAL),
    closures=_list(CLOSURE),
    entries=_list(ENTRY),
)
