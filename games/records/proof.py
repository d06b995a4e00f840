"""The proof of a phase's results: what is behind every digit.

Behind a digit are the stocks, the readings and the cell of the printed table. All are plain values
for pages and letters.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db.models import prefetch_related_objects

from games import market
from games.models import Figure, Game, Phase, Reading, Resolution
from games.rules import Attempt, RulesError, rulings
from games.rules.digits import digit_of_shares, digits_in_events, roll_number
from games.rules.settling import ENTERED_NONE, PUBLISHERS
from games.turns import judging

#: Why a stock did not decide, in words, by the codes of `rules.Attempt.passed`.
PASSED = {
    "no_report": "no usable report",
    "duplicate": "an earlier line names it already",
    "elsewhere": "it is no symbol of the game's exchange",
    "not_listed": "it is not on the published list",
    "used_up": "an earlier attack has used this reserve",
    "no_die": "its digit is no die",
}
SOURCES = {
    **PUBLISHERS,
    "recorded": "the recorded file",
    "demo": "the DEMO exchange, made up",
}
#: Readings that are not sales (`rng.source`): the gamesmaster's dice, and the seed.
ROLLED = {
    "dice": "the gamesmaster's dice",
    "seed": "computed from the seed",
}
#: Keys in `Reading.raw` by which sources name their library.
LIBRARIES = ("yfinance", "library")

SECRET_DRAW = """import hmac
from hashlib import sha256
secret = bytes.fromhex("{secret}")
digits, charts, nations = "{digits}", {charts!r}, {nations!r}
print(sha256(secret).hexdigest())
mac = hmac.digest(secret, ("objectives/" + digits).encode(), "sha256")
left = list(mac)
for nation in nations:
    while True:
        if not left:
            mac = hmac.digest(secret, mac, "sha256")
            left = list(mac)
        byte = left.pop(0)
        if byte < 256 - 256 % len(charts):
            break
    number = byte % len(charts)
    print(nation, "has the objectives of", {take})"""


@dataclass(frozen=True)
class ReadingDescription:
    """One reading: who read what, when, and with which library."""

    symbol: str
    source: str
    at: datetime
    said: str
    version: str

    def __str__(self) -> str:
        version = f" ({self.version})" if self.version else ""
        at = f"{self.at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
        return f"{self.source}, {at}{version}: {self.said}"


@dataclass(frozen=True)
class Working:
    """One attack that was decided by a digit. Without a stock: no stock gave a digit."""

    number: int  # among the attacks of the report, void ones included
    nation: str
    line: int
    area: str
    targets: tuple[str, ...]
    stock: str
    rolled: bool  # no sales: the gamesmaster's roll, or the seed
    volume: int | None
    digit: int | None
    row: int | None  # of the table: the digit, or the die computed from it
    attacker: int | None
    defender: int | None
    odds: str
    result: str
    meaning: str
    settled: str
    readings: tuple[ReadingDescription, ...]
    passed: tuple[tuple[str, str], ...]  # stock, and why in words
    ruled: bool = False  # the gamesmaster has set the result, regardless of the digit


def workings(
    phase: Phase, resolution: Resolution, applied: Sequence[rulings.Ruling] | None = None
) -> list[Working]:
    """Return every attack of a resolution that needed a digit, in the order of judging.

    `applied`: the rulings on it (`applied_rulings`), if the caller has them.
    """
    fights = [event for event in resolution.events if event["kind"] in ("attack", "void")]
    if not fights:
        return []
    figures = _figures(phase)
    passed = skipped_stocks(resolution, figures.values(), applied)
    meanings = phase.game.rules.guide.table().meanings
    return [
        _working(number, event, passed[event["nation"], event["line"]], figures, meanings)
        for number, event in enumerate(fights, start=1)
        if event["kind"] == "attack" or event.get("reason") == "no_digit"
    ]


@dataclass(frozen=True)
class Lot:
    """Something drawn by digits of the published list.

    It has its result, and every figure that was read for it, in order.
    """

    said: str
    #: Stock, shares, digit, and the readings behind them.
    figures: tuple[tuple[str, int, int, tuple[ReadingDescription, ...]], ...]


def lots(phase: Phase, resolution: Resolution) -> list[Lot]:
    """Return dice and lots of a resolution in order. Some may have no digit, if none was left."""
    rows, results = _figures(phase), []
    for event in resolution.events:
        if event["kind"] == "attack" or "rejected" not in event:
            continue
        figures = (
            (
                draw["stock"],
                draw["volume"],
                draw["digit"],
                _readings_behind(rows.get(draw["stock"])),
            )
            for draw in digits_in_events([event])
        )
        results.append(Lot(event["message"], tuple(figures)))
    return results


def _figures(phase: Phase) -> dict[str, Figure]:
    """Return a phase's figures by stock; they and what they rest on are read once a page."""
    prefetch_related_objects([phase], "figures__readings__entered_by")
    return {figure.symbol: figure for figure in phase.figures.all()}


def _readings_behind(figure: Figure | None) -> tuple[ReadingDescription, ...]:
    rests_on = figure.readings.all() if figure else ()
    return tuple(
        describe_reading(row) for row in sorted(rests_on, key=lambda row: (row.read_at, row.pk))
    )


def secret_draw(game: Game, resolution: Resolution | None) -> str:
    """Return Python that computes the secret draw again from secret and digits.

    Return "" until the game is over, which publishes the secret.
    """
    events = resolution.events if resolution else []
    draw_event = next((event for event in events if event["kind"] == "objectives_drawn"), None)
    if draw_event is None or not game.is_over:
        return ""
    replaced = game.options["ow2.blind_draw"] == "with_replacement"
    return SECRET_DRAW.format(
        secret=game.secret,
        digits=draw_event["digits"],
        charts=[scenario["name"] for scenario in game.card.get("scenarios", ())]
        or game.card["order"],
        nations=[event["nation"] for event in events if event["kind"] == "chart_drawn"],
        take="charts[number]" if replaced else "charts.pop(number)",
    )


def skipped_stocks(
    resolution: Resolution,
    figures: Collection[Figure],
    applied: Sequence[rulings.Ruling] | None = None,
) -> dict[tuple[str, int], tuple[tuple[str, str], ...]]:
    """Return the stocks that gave an attack no digit, with the reason, by nation and line.

    `figures`: of all stocks of the phase that have settled. `applied`: the rulings on the result,
    if the caller has them.
    """
    volumes = {figure.symbol: figure.volume for figure in figures}
    entered = {figure.symbol for figure in figures if figure.reason.startswith(ENTERED_NONE)}
    fights = [event for event in resolution.events if event["kind"] in ("attack", "void")]
    if fights and applied is None:
        applied = applied_rulings(resolution)
    tried = _tries(resolution, volumes, applied or ()) if fights else {}
    places = {(event["nation"], event["line"]): event for event in fights}
    return {
        place: tuple(
            (attempt.stock, _reason_passed_over(attempt, event, entered))
            for attempt in tried.get(place, ())
            if attempt.passed
        )
        for place, event in places.items()
    }


@dataclass(frozen=True)
class FigureInForce:
    """A settled figure, and what a ruling put in its place, if any.

    `later` is what the publisher reported afterwards; `ruling` is the ruling's number, or 0.
    """

    figure: Figure
    volume: int | None
    later: str = ""
    ruling: int = 0

    @property
    def digit(self) -> int:
        """The digit of a roll, which has no sales."""
        return digit_of_shares(self.volume or 0)

    @property
    def ruled(self) -> str:
        """“Ruling 2, in place of 5,412,345.”, or ""."""
        if not self.ruling:
            return ""
        volume = self.figure.volume
        if volume is None:
            settled = "no usable report"
        elif roll_number(self.figure.symbol) is not None:
            settled = str(digit_of_shares(volume))
        else:
            settled = f"{volume:,}"
        return f"Ruling {self.ruling}, in place of {settled}."


def figures_in_force(
    figures: Iterable[tuple[Figure, str]], applied: Iterable[rulings.Ruling]
) -> list[FigureInForce]:
    """Return settled figures and their remarks, each as it counts after the rulings on it.

    `applied`: the rulings on the result on the page (`applied_rulings`).
    """
    ruled = {ruling.what["stock"]: ruling for ruling in applied if ruling.kind == "digit"}
    return [
        FigureInForce(figure, ruling.what["volume"], later, ruling.number)
        if (ruling := ruled.get(figure.symbol)) is not None
        else FigureInForce(figure, figure.volume, later)
        for figure, later in figures
    ]


def applied_rulings(resolution: Resolution | None) -> tuple[rulings.Ruling, ...]:
    """Return the rulings under which a result was judged; later ones do not count for it."""
    if resolution is None or not resolution.after_ruling:
        return ()
    all_rulings = judging.rulings_of(resolution.phase.game)
    return rulings.rulings_on(all_rulings, resolution.phase.number, resolution.after_ruling)


def _tries(
    resolution: Resolution,
    volumes: Mapping[str, int | None],
    applied: Sequence[rulings.Ruling],
) -> Mapping[tuple[str, int], tuple[Attempt, ...]]:
    game = resolution.phase.game
    settled = rulings.RuledVolumes(market.Figures(volumes), rulings.ruled_volumes(applied))
    state = game.rules.load(
        game.card, rulings.ruled_options(game.options, applied), resolution.before
    )
    try:
        return game.rules.editor.attempts(
            state, resolution.orders, settled, game.reserves, rulings.ruled_results(applied)
        )
    except (RulesError, market.Unsettled):
        return {}  # the event itself says what decided


def _working(
    number: int,
    event: Mapping[str, Any],
    passed: tuple[tuple[str, str], ...],
    figures: Mapping[str, Figure],
    meanings: Mapping[str, str],
) -> Working:
    figure = figures.get(event.get("stock", ""))
    settled = figure.reason if figure else ""
    if event.get("stock") and (figure is None or figure.volume != event.get("volume")):
        settled = "by a ruling of the gamesmaster"
        if figure is not None and figure.volume and event.get("rolled"):
            settled += f"; the roll had been {digit_of_shares(figure.volume)}"
        elif figure is not None and figure.volume:
            settled += f"; it had settled at {figure.volume:,} shares"
    return Working(
        number=number,
        nation=event["nation"],
        line=event["line"],
        area=event["area"],
        targets=tuple(event["targets"]),
        stock=str(event.get("stock", "")),
        rolled=bool(event.get("rolled")),
        volume=event.get("volume"),
        digit=event.get("digit"),
        row=event.get("die", event.get("digit")),
        attacker=event.get("attacker"),
        defender=event.get("defender"),
        odds=str(event.get("odds", "")),
        result=str(event.get("result", "")),
        meaning=meanings.get(str(event.get("result", "")), ""),
        settled=settled,
        readings=_readings_behind(figure),
        passed=passed,
        ruled=bool(event.get("ruled")),
    )


def _reason_passed_over(
    attempt: Attempt, event: Mapping[str, Any], entered: Collection[str]
) -> str:
    """Return why a stock did not decide.

    `entered`: the stocks for which the gamesmaster entered that there is no report. If its digit is
    no die, the reason gives the digit, or with two digits (96 to 99) the end of the figure.
    """
    rejected = next(
        (row for row in event.get("rejected", ()) if row["stock"] == attempt.stock), None
    )
    if attempt.passed == "no_report" and attempt.stock in entered:
        return ENTERED_NONE
    if attempt.passed != "no_die" or rejected is None:
        return PASSED.get(attempt.passed, attempt.passed)
    if rejected["digit"] in (0, 7, 8, 9):
        return f"its digit, {rejected['digit']}, is no die"
    return f"it ends in {rejected['volume'] // 100 % 100}, which is no die"


def describe_reading(row: Reading) -> ReadingDescription:
    """Return a reading in words. A typed-in figure says by whom."""
    if row.entered_by is not None:
        # By the name that others may know, never by address; on one line, even if the name is not.
        source = f"typed in by {' '.join(row.entered_by.name.split()) or 'the gamesmaster'}"
    else:
        source = SOURCES.get(row.source, row.source)
    note = " ".join(row.detail.split())
    if row.source in ROLLED and row.volume is not None:
        source = f"rolled, and {source}" if row.entered_by is not None else ROLLED[row.source]
        said = f"{digit_of_shares(row.volume)}{f', “{note}”' if note else ''}"
        return ReadingDescription(row.symbol, source, row.read_at, said, "")
    shown = f"{row.volume:,} shares" if row.volume is not None else note or row.get_kind_display()
    if row.volume is not None and row.entered_by is not None and note:
        shown += f", “{note}”"
    elif row.volume is not None and row.flag and note:
        shown += f". {note}"
    raw = row.raw if isinstance(row.raw, dict) else {}
    version = ", ".join(
        f"{name} {raw[name]}" if name != "library" else str(raw[name])
        for name in LIBRARIES
        if raw.get(name)
    )
    return ReadingDescription(row.symbol, source, row.read_at, shown, version)
