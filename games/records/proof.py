"""The proof of a phase: the leaves of its digest, and what is behind every digit.

Behind a digit are the stocks, the readings and the cell of the printed table. All are plain values
for pages and letters. The caller has to check with `games.permissions` whose orders a person may
see; only `seals` returns anything private, for the nations it is called with.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db.models import prefetch_related_objects

from games import market
from games.models import Figure, Game, Phase, Reading, Resolution
from games.positions import in_force
from games.rules import Attempt, RulesError, rulings
from games.rules.digits import digit_of_shares, digits_in_events, roll_number
from games.rules.markets import EVENING
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
#: What decides if sales do not.
OTHER_SOURCES = {
    "gm_dice": (
        "No session decides: the gamesmaster rolls the digits, and every roll is recorded with"
        " the gamesmaster's name."
    ),
    "commit_reveal": (
        "No session decides: the digits are computed from a seed whose hash was published when the"
        " phase opened."
    ),
}
#: Readings that are not sales (`rng.source`): the gamesmaster's dice, and the seed.
ROLLED = {
    "dice": "the gamesmaster's dice",
    "seed": "computed from the seed",
}
#: Keys in `Reading.raw` by which sources name their library.
LIBRARIES = ("yfinance", "library")

LEAF_IN_WORDS = (
    "A nation's leaf is the SHA-256, as 64 hexadecimal digits, of its salt, its name and its orders"
    " in UTF-8, each of the three followed by one zero byte. Each set of orders has its own random"
    " salt, so nobody can guess them."
)
DIGEST_IN_WORDS = (
    "The digest is the SHA-256 of all leaves in the alphabetical order of the nations, one line"
    " each: the nation, a space, its leaf and a line feed."
)
LEAF_LINE = r'print(sha256("\0".join([salt, nation, text, ""]).encode()).hexdigest())'
DIGEST_LINE = (
    r'print(sha256("".join(nation + " " + leaf + "\n" for nation, leaf in'
    r" sorted(leaves)).encode()).hexdigest())"
)
IMPORT_LINE = "from hashlib import sha256"
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


# --- the digest ---


@dataclass(frozen=True)
class Seal:
    """What a nation needs to find its leaf of the digest. Private to it until the game is over."""

    nation: str
    place: int  # "leaf no. 3 of 5"
    leaves: int
    leaf: str
    salt: str
    text: str

    @property
    def snippet(self) -> str:
        """Python that prints the leaf, ready to copy."""
        values = f"salt, nation = {self.salt!r}, {self.nation!r}\ntext = {_literal(self.text)}"
        return "\n".join((IMPORT_LINE, values, LEAF_LINE))

    @property
    def lines(self) -> list[str]:
        """The same, line by line."""
        return self.snippet.split("\n")


def leaves(phase: Phase) -> list[tuple[str, str]]:
    """Return nations and leaves, in the order in which the digest is computed."""
    return sorted(phase.leaves.items())


def leaf_snippet() -> str:
    """Return three lines of Python for any leaf."""
    values = 'salt, nation, text = "the salt", "the nation", "the orders, character by character"'
    return "\n".join((IMPORT_LINE, values, LEAF_LINE))


def digest_snippet(phase: Phase) -> str:
    """Return Python that prints the digest from the published leaves."""
    listed = ",\n          ".join(f"({nation!r}, {leaf!r})" for nation, leaf in leaves(phase))
    return "\n".join((IMPORT_LINE, f"leaves = [{listed}]", DIGEST_LINE))


def seals(phase: Phase, nations: Collection[str]) -> list[Seal]:
    """Return the seals of those of `nations` that have orders in force; none before the lock."""
    if phase.locked_at is None or not nations:
        return []
    order = sorted(phase.leaves)
    return [
        Seal(nation, order.index(nation) + 1, len(order), phase.leaves[nation], salt, text)
        for nation, (salt, text) in sorted(in_force.salted_texts(phase).items())
        if nation in nations and nation in phase.leaves
    ]


def _literal(text: str) -> str:
    """Return a text as a Python literal, with one line for each of its lines."""
    lines = text.splitlines(keepends=True)
    if len(lines) < 2:
        return repr(text)
    return "(" + "\n        ".join(map(repr, lines)) + ")"


# --- announced rules ---


def fallbacks(game: Game) -> list[str]:
    """Return what happens if a stock has no usable report, by the game's options, in order."""
    chosen = game.options
    if chosen["rng.source"] != "stocks":
        return []
    limits = market.limits_in_words(market.policy_of(game))
    never = "A missing, empty, zero or contradictory report is never a digit"
    if not game.rules.names_stocks:  # only the list counts
        left = (
            "If the list runs out, the remaining dice are thrown first in the next phase with dice,"
            " on another session."
        )
        return [*limits, f"{never}: the next stock of the list is read.", left]
    sentences = [*limits, f"{never}: the next stock on the attack's own line is asked."]
    if chosen["rng.stock_choice"] == "list_only":
        sentences.append("Only stocks on the reserve list count; others are passed over.")
    sentences.append(
        {
            "reserve_within_nation": (
                "A stock that an earlier line of the same nation names is passed over on the later"
                " line."
            ),
            "reserve_always": (
                "A stock that an earlier line of any nation names is passed over on the later line."
            ),
            "allow": "A stock may be named more than once, and gives the same digit each time.",
        }[chosen["rng.duplicate_stock"]]
    )
    if chosen["rng.no_stock"] == "attack_void":
        sentences.append("An attack whose own stocks give no digit is void.")
    else:
        sentences.append(
            "An attack whose own stocks give no digit takes the first unused stock of the reserve"
            " list, read from the top."
        )
        sentences.append(
            "If no stock on the list has a usable report either, the phase waits for the"
            " gamesmaster."
        )
    if game.second_source:
        sentences.append(
            f"{game.get_second_source_display()} is asked too. If the two settle on different"
            " digits, the gamesmaster rules."
        )
    return sentences


def session_rule(game: Game) -> str:
    """Return the rule for which session decides.

    If sales do not decide (`rng.source`), return what does.
    """
    if words := OTHER_SOURCES.get(game.options["rng.source"]):
        return words
    place = game.stock_market.place
    fixed = "the announced deadline, or after the lock where that came earlier"
    if game.strict_evening:
        evening = f"from {EVENING:%H:%M} {place} time of the evening before"
        return f"The session is the first whose overnight trading, {evening}, begins after {fixed}."
    where = "" if game.market == Game.Market.DEMO else f" in {place}"
    return (
        f"The session is the first{where} that opens after {fixed}: nobody can know its sales while"
        " orders can still be sent."
    )


# --- digits ---


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
        previously = (
            f"; it had settled at {figure.volume:,} shares" if figure and figure.volume else ""
        )
        settled = f"by a ruling of the gamesmaster{previously}"
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
        return ReadingDescription(
            row.symbol, source, row.read_at, str(digit_of_shares(row.volume)), ""
        )
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
