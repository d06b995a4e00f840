"""A card of the game read and checked from top to bottom (contract 2): each fault names its key,
each printed column adds up to 25."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import Json, cards
from ..cards import CardError
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
    SEASONS,
    VERSIONS,
    Aim,
    Card,
    Due,
    Intervention,
    Minors,
    Permission,
    Row,
    Special,
)
from .state import SHEET

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


@cards.once
def card_of(tree: Json) -> Card:
    """Check a card and return it. Raises `CardError` with the first key at fault."""
    head = cards.head(tree, GAME, _KEYS)
    turns, order, areas = head.turns, head.order, head.areas
    if SHEET in order:
        raise CardError(
            "order", f"“{SHEET}” is what the gamesmaster's sheets go by, and can be no power"
        )
    for power in order:
        if power not in areas:
            raise CardError("areas", f"“{power}” is a power, and its home country is missing")
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
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise CardError(where, "must be a list of texts")
    return tuple(value)


def _known_names(names: Iterable[str], known: tuple[str, ...], where: str, noun: str) -> None:
    for name in names:
        if name not in known:
            raise CardError(where, f"there is no {noun} “{name}”")


def _player_turns(
    tree: Json, order: tuple[str, ...], areas: tuple[str, ...]
) -> dict[int, tuple[tuple[str, ...], ...]]:
    """Every power moves in exactly one Player-Turn of each version (4.4); Poland moves with
    France."""
    found = {}
    for version in VERSIONS:
        where = f"player_turns.{version}"
        rows = tree.get(str(version))
        if not isinstance(rows, list):
            raise CardError(where, "must be a list of lists of names")
        groups = tuple(_texts(row, where) for row in rows)
        named = [name for group in groups for name in group]
        _known_names(named, areas, where, "country")
        powers = [name for name in named if name in order]
        if sorted(powers) != sorted(order):
            raise CardError(
                where, "every power must move in one Player-Turn, and in no more than one"
            )
        if any(not [name for name in group if name in order] for group in groups):
            raise CardError(where, "a Player-Turn needs a power that moves in it")
        found[version] = groups
    return found


def _hands(tree: Json, order: tuple[str, ...]) -> dict[int, tuple[tuple[str, str], ...]]:
    found = {}
    for version in VERSIONS:
        where = f"seats.{version}"
        rows = tree.get(str(version))
        if not isinstance(rows, list):
            raise CardError(where, "must be a list of pairs")
        pairs = []
        for row in rows:
            pair = _texts(row, where)
            if len(pair) != 2:
                raise CardError(
                    where, "must be a list of pairs: who holds it, and the power that goes with it"
                )
            _known_names(pair, order, where, "power")
            pairs.append((pair[0], pair[1]))
        if (left := len(order) - len(pairs)) != version:
            raise CardError(where, f"leaves {left} players, not {version}")
        found[version] = tuple(pairs)
    return found


def _seasons(calendar: Json) -> dict[str, tuple[str, ...]]:
    found = {}
    for reading, names in _table(calendar, "seasons", "calendar.").items():
        where = f"calendar.seasons.{reading}"
        found[reading] = seasons = _texts(names, where)
        if sorted(seasons) != sorted(SEASONS):
            raise CardError(where, f"must name {', '.join(SEASONS)}, each once")
    return found


def _objectives(
    tree: Json, order: tuple[str, ...], areas: tuple[str, ...]
) -> dict[str, dict[str, Aim]]:
    """The chart. Each printed column adds up to 25 (B.2), the figure that 19.2 sets for a made-up
    one: the check of the transcription."""
    found: dict[str, dict[str, Aim]] = {}
    for power in order:
        column = cards.table(tree.get(power), f"objectives.{power}")
        found[power] = {}
        for country, entry in column.items():
            where = f"objectives.{power}.{country}"
            _known_names([country], areas, where, "country")
            kinds = cards.table(entry, where)
            if len(kinds) != 1 or next(iter(kinds)) not in KINDS:
                raise CardError(where, f"must have one of {', '.join(KINDS)}")
            ((kind, points),) = kinds.items()
            found[power][country] = Aim(kind, cards.whole(points, f"{where}.{kind}", 1))
        total = sum(aim.points for aim in found[power].values())
        if total != COLUMN:
            said = f"must add up to {COLUMN}, and adds up to {total}"
            raise CardError(f"objectives.{power}", said)
    _known_names(tree, order, "objectives", "power")
    return found


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
            raise CardError(f"{where}.turn", f"must be {place + 1}: the rows stand in order")
        entry = _whole(row, where, "entry", turn + 1)
        rows.append(Row(turn, *_ranges(row, where), entry))
    specials = []
    for place, row in enumerate(_rows(tree, "special")):
        where = f"us_entry.special[{place}]"
        country = str(row.get("event", "")).removeprefix("Germany invades ")
        _known_names([country], areas, f"{where}.event", "country")
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
    found: dict[int, dict[str, tuple[str, ...]]] = {}
    for key, versions in (("5_6", (5, 6)), ("4", (4,))):
        where = f"operators.{key}"
        chart = {}
        for country, names in cards.table(tree.get(key), where).items():
            _known_names([country], areas, where, "country")
            operators = _texts(names, f"{where}.{country}")
            _known_names(operators, order, f"{where}.{country}", "power")
            if not 1 <= len(operators) <= 2:
                raise CardError(f"{where}.{country}", "must name one power or two")
            chart[country] = operators
        found |= dict.fromkeys(versions, chart)
    return found


def _minors(tree: Json, order: tuple[str, ...], areas: tuple[str, ...]) -> Minors:
    lists = {
        key: _texts(tree.get(key), f"minors.{key}")
        for key in ("pro_axis", "self_defence", "balkans")
    }
    for key, names in lists.items():
        _known_names(names, areas, f"minors.{key}", "country")
    ally = cards.table(tree.get("ally"), "minors.ally")
    _known_names(ally, areas, "minors.ally", "country")
    _known_names(ally.values(), order, "minors.ally", "power")
    named = {
        key: str(tree.get(key))
        for key in ("german_rate_halved_by", "no_sea_transport_past_while_neutral")
    }
    for key, name in named.items():
        _known_names([name], areas, f"minors.{key}", "country")
    expedition = {}
    for when, sent in cards.table(tree.get("expedition"), "minors.expedition").items():
        _known_names(sent, areas, f"minors.expedition.{when}", "country")
        expedition[when] = {
            name: cards.whole(sp, f"minors.expedition.{when}.{name}", 1)
            for name, sp in sent.items()
        }
    return Minors(
        lists["pro_axis"], lists["self_defence"], dict(ally), lists["balkans"],
        named["german_rate_halved_by"], named["no_sea_transport_past_while_neutral"], expedition,
    )  # fmt: skip


def _mediterranean(tree: Json) -> dict[int, str]:
    found = {}
    for face in range(1, 7):
        outcome = tree.get(str(face))
        if outcome not in OUTCOMES:
            raise CardError(f"mediterranean.{face}", f"must be one of {', '.join(OUTCOMES)}")
        found[face] = str(outcome)
    return found


def _transport(tree: Json, order: tuple[str, ...]) -> Json:
    """Whose points there are, and what they carry in each version (5.7)."""
    allied = cards.table(tree.get("Allied"), "transport.Allied")
    cards.whole(allied.get("halved_from_turn"), "transport.Allied.halved_from_turn", 1)
    for owner, row in tree.items():
        where = f"transport.{owner}"
        if owner in order:
            points = cards.table(row, where).get("strength", row.get("naval"))
            cards.whole(points, f"{where}.strength", 0)
            said = row.get("carries", "anyone")
            carried = said.values() if isinstance(said, dict) else [said]
            _known_names(carried, ("anyone", *order), f"{where}.carries", "power")
    where = "transport.italian_limit_in_north_africa"
    for version, most in cards.table(tree.get("italian_limit_in_north_africa", {}), where).items():
        cards.whole(most, f"{where}.{version}", 0)
    return tree


def _entitlements(rows: list[Json], order: tuple[str, ...]) -> tuple[Due, ...]:
    found = tuple(_due(row, f"entitlements[{place}]", order) for place, row in enumerate(rows))
    sizes = [one for one in found if one.kind == LARGEST]
    if len(sizes) != 1 or len(sizes[0].steps) != 3:
        raise CardError("entitlements", f"must have one “{LARGEST}” with three steps (10.73)")
    return found


def _due(row: Json, where: str, order: tuple[str, ...]) -> Due:
    power = str(row.get("power"))
    _known_names([power], order, f"{where}.power", "power")
    lapses = row.get("lapses", False)
    if not isinstance(lapses, bool):
        raise CardError(f"{where}.lapses", "must be true or false")
    points = cards.whole(row.get("points", 0), f"{where}.points", 0)
    steps = tuple(cards.whole(step, f"{where}.steps", 1) for step in row.get("steps", ()))
    said = {key: str(row.get(key, "")) for key in ("case", "kind", "every", "season", "place")}
    for key, known in (("kind", DUE_KINDS), ("every", ("", "year")), ("season", ("", *SEASONS))):
        if said[key] not in known:
            wanted = f"must be one of {', '.join(filter(None, known))}"
            raise CardError(f"{where}.{key}", f"“{said[key]}” {wanted}")
    return Due(power=power, points=points, lapses=lapses, steps=steps, **said)


def _permission(row: Json, where: str, order: tuple[str, ...]) -> Permission:
    by, case = str(row.get("by")), str(row.get("case", ""))
    if case not in GRANT_CASES:
        raise CardError(f"{where}.case", f"“{case}” must be one of {'; '.join(GRANT_CASES)}")
    _known_names([by], (*order, ANY, OPERATOR), f"{where}.by", "power")
    players = tuple(cards.whole(one, f"{where}.players", 4) for one in row.get("players", ()))
    return Permission(case, by, str(row.get("what", "")), players)


def _switches(tree: Json, order: tuple[str, ...]) -> Json:
    combine: Any = cards.table(tree.get("combine_attack"), "switches.combine_attack")
    for version in VERSIONS:
        where = f"switches.combine_attack.{version}"
        for pair in combine.get(str(version), ()):
            _known_names(_texts(pair, where), order, where, "power")
    return tree


def _prewar(tree: Json, order: tuple[str, ...], areas: tuple[str, ...]) -> dict[str, str]:
    _known_names(tree, order, "prewar", "power")
    found: dict[str, str] = {}
    for power, countries in tree.items():
        for country in _texts(countries, f"prewar.{power}"):
            _known_names([country], areas, f"prewar.{power}", "country")
            if country in found or country in order:
                said = f"“{country}” cannot be held by it: it is a power's home, or another's"
                raise CardError(f"prewar.{power}", said)
            found[country] = power
    return found
