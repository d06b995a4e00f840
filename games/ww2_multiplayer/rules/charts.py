"""Read and check a card of the game.

Each error names its key. Each printed column has to add up to 25.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from games.rules import REFEREE_SEAT, Json, cards
from games.rules.cards import CardError

from .card import (
    ANY,
    COLUMN,
    DUE_KINDS,
    GAME,
    GRANT_CASES,
    KINDS,
    LARGEST,
    OPERATOR,
    OUTCOMES,
    PLAYERS_COUNTS,
    SEASONS,
    Aim,
    Card,
    DueEntitlement,
    Intervention,
    Minors,
    Permission,
    Row,
    Special,
)

_KEYS = (
    "game",
    "name",
    "title",
    "provenance",
    "note",
    "turns",
    "order",
    "areas",
    "inferred",
    "player_turns",
    "seats",
    "calendar",
    "diplomacy",
    "objectives",
    "victory",
    "us_entry",
    "operators",
    "minors",
    "mediterranean",
    "transport",
    "entitlements",
    "grants",
    "switches",
    "prewar",
    "checklist",
)


@cards.cache_check
def card_of(tree: Json) -> Card:
    """Check a card and return it. Raise `CardError` with the first key at fault."""
    head = cards.head(tree, GAME, _KEYS)
    turns, order, areas = head.turns, head.order, head.areas
    if REFEREE_SEAT in order:
        raise CardError(
            "order",
            f"“{REFEREE_SEAT}” is the name for the gamesmaster's reports, so no power can have it",
        )
    for power in order:
        if power not in areas:
            raise CardError("areas", f"the home country of “{power}” is missing")
    calendar = _table(tree, "calendar")
    return Card(
        **head._asdict(),
        inferred=_texts(tree.get("inferred", []), "inferred"),
        player_turns=_player_turns(_table(tree, "player_turns"), order, areas),
        hands=_hands(_table(tree, "seats"), order),
        first_quarter=_whole(calendar, "calendar", "first_quarter", 1),
        first_year=_whole(calendar, "calendar", "first_year", 1),
        quarters=_whole(calendar, "calendar", "quarters", 1),
        seasons=_seasons(calendar),
        objectives=_objectives(_table(tree, "objectives"), order, areas),
        victory=_victory(_table(tree, "victory")),
        us=_intervention(_table(tree, "us_entry"), turns, areas),
        operators=_operators(_table(tree, "operators"), order, areas),
        minors=_minors(_table(tree, "minors"), order, areas),
        mediterranean=_mediterranean(_table(tree, "mediterranean")),
        transport=_transport(_table(tree, "transport"), order),
        entitlements=_entitlements(_rows(tree, "entitlements"), order),
        grants=tuple(
            _permission(row, f"grants[{n}]", order) for n, row in enumerate(_rows(tree, "grants"))
        ),
        switches=_switches(_table(tree, "switches"), order),
        prewar=_prewar(_table(tree, "prewar"), order, areas),
        checklist=_texts(tree.get("checklist", []), "checklist"),
    )


def _table(tree: Json, key: str, where: str = "") -> Json:
    return cards.table(cards.present(tree, key) if not where else tree.get(key), f"{where}{key}")


def _whole(tree: Json, where: str, key: str, least: int) -> int:
    return cards.whole(tree.get(key), f"{where}.{key}", least)


def _rows(tree: Json, key: str) -> list[Json]:
    rows = cards.present(tree, key)
    if not isinstance(rows, list):
        raise CardError(key, "must be a list of tables")
    return [cards.table(row, f"{key}[{place}]") for place, row in enumerate(rows)]


def _texts(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise CardError(where, "must be a list of texts")
    return tuple(value)


def _check_names(names: Iterable[str], known: tuple[str, ...], where: str, noun: str) -> None:
    for name in names:
        if name not in known:
            raise CardError(where, f"there is no {noun} “{name}”")


def _player_turns(
    tree: Json, order: tuple[str, ...], areas: tuple[str, ...]
) -> dict[int, tuple[tuple[str, ...], ...]]:
    """Read the Player-Turns. Every power moves in exactly one for each number of players (4.4).

    Poland moves with France.
    """
    by_count = {}
    for count in PLAYERS_COUNTS:
        where = f"player_turns.{count}"
        rows = tree.get(str(count))
        if not isinstance(rows, list):
            raise CardError(where, "must be a list of lists of names")
        groups = tuple(_texts(row, where) for row in rows)
        named = [name for group in groups for name in group]
        _check_names(named, areas, where, "country")
        powers = [name for name in named if name in order]
        if sorted(powers) != sorted(order):
            raise CardError(
                where, "every power must move in one Player-Turn, and in no more than one"
            )
        if any(not [name for name in group if name in order] for group in groups):
            raise CardError(where, "at least one power must move in a Player-Turn")
        by_count[count] = groups
    return by_count


def _hands(tree: Json, order: tuple[str, ...]) -> dict[int, tuple[tuple[str, str], ...]]:
    by_count = {}
    for count in PLAYERS_COUNTS:
        where = f"seats.{count}"
        rows = tree.get(str(count))
        if not isinstance(rows, list):
            raise CardError(where, "must be a list of pairs")
        pairs = []
        for row in rows:
            pair = _texts(row, where)
            if len(pair) != 2:
                raise CardError(
                    where, "must be a list of pairs: who holds it, and the power that goes with it"
                )
            _check_names(pair, order, where, "power")
            pairs.append((pair[0], pair[1]))
        if (left := len(order) - len(pairs)) != count:
            raise CardError(where, f"leaves {left} players, not {count}")
        by_count[count] = tuple(pairs)
    return by_count


def _seasons(calendar: Json) -> dict[str, tuple[str, ...]]:
    readings = {}
    for reading, names in _table(calendar, "seasons", "calendar.").items():
        where = f"calendar.seasons.{reading}"
        readings[reading] = seasons = _texts(names, where)
        if sorted(seasons) != sorted(SEASONS):
            raise CardError(where, f"must name {', '.join(SEASONS)}, each once")
    return readings


def _objectives(
    tree: Json, order: tuple[str, ...], areas: tuple[str, ...]
) -> dict[str, dict[str, Aim]]:
    """Read the objectives.

    Each printed column adds up to 25 (B.2), the limit that 19.2 sets for a combined one. This
    checks the transcription.
    """
    columns: dict[str, dict[str, Aim]] = {}
    for power in order:
        column = cards.table(tree.get(power), f"objectives.{power}")
        columns[power] = {}
        for country, entry in column.items():
            where = f"objectives.{power}.{country}"
            _check_names([country], areas, where, "country")
            kinds = cards.table(entry, where)
            if len(kinds) != 1 or next(iter(kinds)) not in KINDS:
                raise CardError(where, f"must have one of {', '.join(KINDS)}")
            ((kind, points),) = kinds.items()
            columns[power][country] = Aim(kind, cards.whole(points, f"{where}.{kind}", 1))
        total = sum(aim.points for aim in columns[power].values())
        if total != COLUMN:
            sentence = f"must add up to {COLUMN}, and adds up to {total}"
            raise CardError(f"objectives.{power}", sentence)
    _check_names(tree, order, "objectives", "power")
    return columns


def _victory(tree: Json) -> Json:
    _whole(tree, "victory", "column_limit", 1)
    _whole(tree, "victory", "half_home_lost", 0)
    _whole(tree, "victory", "garrison", 0)
    return tree


def _range(value: object, where: str) -> tuple[int, int]:
    if not isinstance(value, list) or len(value) != 2:
        raise CardError(where, "must be two numbers, the lowest and the highest die")
    low, high = cards.whole(value[0], f"{where}[0]", 1), cards.whole(value[1], f"{where}[1]", 1)
    if not low <= high <= 6:
        raise CardError(where, "must be two dice, the lower one first")
    return low, high


def _ranges(row: Json, where: str) -> tuple[tuple[int, int], tuple[int, int]]:
    return (
        _range(row.get("first"), f"{where}.first"),
        _range(row.get("second"), f"{where}.second"),
    )


def _intervention(tree: Json, turns: int, areas: tuple[str, ...]) -> Intervention:
    rows = []
    for place, row in enumerate(_rows(tree, "row")):
        where = f"us_entry.row[{place}]"
        turn = _whole(row, where, "turn", 1)
        if turn != place + 1:
            raise CardError(f"{where}.turn", f"must be {place + 1}: rows are in order")
        entry = _whole(row, where, "entry", turn + 1)
        rows.append(Row(turn, *_ranges(row, where), entry))
    specials = []
    for place, row in enumerate(_rows(tree, "special")):
        where = f"us_entry.special[{place}]"
        country = str(row.get("event", "")).removeprefix("Germany invades ")
        _check_names([country], areas, f"{where}.event", "country")
        dice = _ranges(row, where)
        specials.append(Special(country, *dice, _whole(row, where, "delay", 1)))
    overflow = cards.table(tree.get("overflow"), "us_entry.overflow")
    return Intervention(
        tuple(rows),
        tuple(specials),
        automatic=_whole(tree, "us_entry", "automatic_entry", 1),
        track_start=_whole(tree, "us_entry", "reinforcements_from", 1),
        overflow={
            key: cards.whole(overflow.get(key), f"us_entry.overflow.{key}", 0)
            for key in ("strength", "naval")
        },
        amphibious_lost=_whole(tree, "us_entry", "amphibious_lost", 1),
        roller=str(tree.get("roller", "Britain")),
    )


def _operators(
    tree: Json, order: tuple[str, ...], areas: tuple[str, ...]
) -> dict[int, dict[str, tuple[str, ...]]]:
    by_count: dict[int, dict[str, tuple[str, ...]]] = {}
    for key, counts in (("5_6", (5, 6)), ("4", (4,))):
        where = f"operators.{key}"
        chart = {}
        for country, names in cards.table(tree.get(key), where).items():
            _check_names([country], areas, where, "country")
            operators = _texts(names, f"{where}.{country}")
            _check_names(operators, order, f"{where}.{country}", "power")
            if not 1 <= len(operators) <= 2:
                raise CardError(f"{where}.{country}", "must name one power or two")
            chart[country] = operators
        by_count |= dict.fromkeys(counts, chart)
    return by_count


def _minors(tree: Json, order: tuple[str, ...], areas: tuple[str, ...]) -> Minors:
    lists = {
        key: _texts(tree.get(key), f"minors.{key}")
        for key in ("pro_axis", "self_defence", "balkans")
    }
    for key, names in lists.items():
        _check_names(names, areas, f"minors.{key}", "country")
    ally = cards.table(tree.get("ally"), "minors.ally")
    _check_names(ally, areas, "minors.ally", "country")
    _check_names(ally.values(), order, "minors.ally", "power")
    named = {
        key: str(tree.get(key))
        for key in ("german_rate_halved_by", "no_sea_transport_past_while_neutral")
    }
    for key, name in named.items():
        _check_names([name], areas, f"minors.{key}", "country")
    expedition = {}
    for when, sent in cards.table(tree.get("expedition"), "minors.expedition").items():
        _check_names(sent, areas, f"minors.expedition.{when}", "country")
        expedition[when] = {
            name: cards.whole(sp, f"minors.expedition.{when}.{name}", 1)
            for name, sp in sent.items()
        }
    return Minors(
        lists["pro_axis"], lists["self_defence"], dict(ally), lists["balkans"],
        named["german_rate_halved_by"], named["no_sea_transport_past_while_neutral"], expedition,
    )  # fmt: skip


def _mediterranean(tree: Json) -> dict[int, str]:
    outcomes = {}
    for face in range(1, 7):
        outcome = tree.get(str(face))
        if outcome not in OUTCOMES:
            raise CardError(f"mediterranean.{face}", f"must be one of {', '.join(OUTCOMES)}")
        outcomes[face] = str(outcome)
    return outcomes


def _transport(tree: Json, order: tuple[str, ...]) -> Json:
    """Check the owners of transport points, and what they carry by number of players (5.7)."""
    allied = cards.table(tree.get("Allied"), "transport.Allied")
    cards.whole(allied.get("halved_from_turn"), "transport.Allied.halved_from_turn", 1)
    for owner, row in tree.items():
        where = f"transport.{owner}"
        if owner in order:
            points = cards.table(row, where).get("strength", row.get("naval"))
            cards.whole(points, f"{where}.strength", 0)
            carries = row.get("carries", "anyone")
            carried = carries.values() if isinstance(carries, dict) else [carries]
            _check_names(carried, ("anyone", *order), f"{where}.carries", "power")
    where = "transport.italian_limit_in_north_africa"
    for count, most in cards.table(tree.get("italian_limit_in_north_africa", {}), where).items():
        cards.whole(most, f"{where}.{count}", 0)
    return tree


def _entitlements(rows: list[Json], order: tuple[str, ...]) -> tuple[DueEntitlement, ...]:
    dues = tuple(_due(row, f"entitlements[{place}]", order) for place, row in enumerate(rows))
    sizes = [due for due in dues if due.kind == LARGEST]
    if len(sizes) != 1 or len(sizes[0].steps) != 3:
        raise CardError("entitlements", f"must have one “{LARGEST}” with three steps (10.73)")
    return dues


def _due(row: Json, where: str, order: tuple[str, ...]) -> DueEntitlement:
    power = str(row.get("power"))
    _check_names([power], order, f"{where}.power", "power")
    lapses = row.get("lapses", False)
    if not isinstance(lapses, bool):
        raise CardError(f"{where}.lapses", "must be true or false")
    points = cards.whole(row.get("points", 0), f"{where}.points", 0)
    steps = tuple(cards.whole(step, f"{where}.steps", 1) for step in row.get("steps", ()))
    facts = {key: str(row.get(key, "")) for key in ("case", "kind", "every", "season", "place")}
    for key, allowed in (("kind", DUE_KINDS), ("every", ("", "year")), ("season", ("", *SEASONS))):
        if facts[key] not in allowed:
            expected = f"must be one of {', '.join(filter(None, allowed))}"
            raise CardError(f"{where}.{key}", f"“{facts[key]}” {expected}")
    return DueEntitlement(power=power, points=points, lapses=lapses, steps=steps, **facts)


def _permission(row: Json, where: str, order: tuple[str, ...]) -> Permission:
    by, case = str(row.get("by")), str(row.get("case", ""))
    if case not in GRANT_CASES:
        raise CardError(f"{where}.case", f"“{case}” must be one of {'; '.join(GRANT_CASES)}")
    _check_names([by], (*order, ANY, OPERATOR), f"{where}.by", "power")
    players = tuple(cards.whole(count, f"{where}.players", 4) for count in row.get("players", ()))
    return Permission(case, by, str(row.get("what", "")), players)


def _switches(tree: Json, order: tuple[str, ...]) -> Json:
    combine: Any = cards.table(tree.get("combine_attack"), "switches.combine_attack")
    for count in PLAYERS_COUNTS:
        where = f"switches.combine_attack.{count}"
        for pair in combine.get(str(count), ()):
            _check_names(_texts(pair, where), order, where, "power")
    return tree


def _prewar(tree: Json, order: tuple[str, ...], areas: tuple[str, ...]) -> dict[str, str]:
    _check_names(tree, order, "prewar", "power")
    holders: dict[str, str] = {}
    for power, countries in tree.items():
        for country in _texts(countries, f"prewar.{power}"):
            _check_names([country], areas, f"prewar.{power}", "country")
            if country in holders or country in order:
                sentence = (
                    f"it cannot hold “{country}”, which is a power's home or another's already"
                )
                raise CardError(f"prewar.{power}", sentence)
            holders[country] = power
    return holders
