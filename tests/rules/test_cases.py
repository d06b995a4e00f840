"""Run the conformance cases of both Origins: texts in cases/*.txt, one test a case.

Files named origins_ww1… are of that game.

A case is a title, the situation, a line of two hyphens and the expectation. Lines that begin with #
are comments.

    === Plain factors go first
    rule: C K17
    phase: 3 attacks
    board: Poland: Germany 4+U, Russia 7; Austria: Germany C
    volumes: GE 200
    Germany > ATTACK Poland: Russia STOCK GE
    --
    board: Poland: Germany 2; Austria: Germany C
    event: attack, Germany, Poland, result X

Situation keys: `rule` and `phase` (needed), `card` (a name), `with` (a change to the card: a path
and JSON, null takes it away), `options`, `board`, `volumes`, `reserves`, `tree` (a change to the
finished situation, as `with`). `Nation > text` is one line of orders. `face_down` says which
counters lie where (`Poland: Germany 3+1+0, Russia 5`, 0 a blank), on both sides. `alliances`
(`Britain + France; Germany + Russia`, or `none`) and `offers` (`Britain to France + Russia`) are of
Origins of World War I, on both sides too. Expectation keys: `board` (the whole of it, `empty`, or
`as before`), `event` (one each, in order; the parts given must all be there), `events: none`,
`only` (look at this nation's events alone), `remarks` (refusals; left out: there are none),
`warnings`, `scores` (of some nations), `winners`, `next`, `malformed` (a word that the refusal of
the whole situation must contain).
"""

from __future__ import annotations

import json
import re
import tomllib
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import games.rules
from games.rules.situation import adjudicate

pytestmark = pytest.mark.quick

HERE = Path(__file__).parent / "cases"
CARDS = Path(games.rules.__file__).parent / "cards"
SITUATION = {
    "rule",
    "phase",
    "card",
    "with",
    "options",
    "board",
    "face_down",
    "alliances",
    "offers",
    "volumes",
    "reserves",
    "tree",
}
EXPECTATION = {
    "board",
    "face_down",
    "alliances",
    "offers",
    "event",
    "events",
    "only",
    "remarks",
    "warnings",
    "notes",
    "scores",
    "winners",
    "next",
    "malformed",
}
Tree = dict[str, Any]


class CaseError(Exception):
    """Say which file and line of a case cannot be read."""


@dataclass
class Case:
    file: str
    title: str
    given: dict[str, list[str]] = field(default_factory=dict)
    orders: dict[str, list[str]] = field(default_factory=dict)
    wanted: dict[str, list[str]] = field(default_factory=dict)
    tree: Tree = field(default_factory=dict)

    def first(self, key: str, default: str = "") -> str:
        return self.given.get(key, [default])[0]

    @property
    def sister(self) -> bool:
        """Whether the game is Origins of World War I, whose areas hold only PFs."""
        return self.file.startswith("origins_ww1")


def read_board(text: str, plain: bool = False) -> Tree:
    """Read `Poland: Germany 8+U, Russia 3; Austria: Germany C`; `plain` means only PFs."""
    board: Tree = {}
    for row in filter(None, (part.strip() for part in text.split(";"))):
        area, colon, holders = row.partition(":")
        if not colon or area in board:
            raise ValueError(f"area without a colon, or twice: {row!r}")
        board[area.strip()] = entries = {}
        for holder in holders.split(","):
            match = re.fullmatch(r"(\w[\w-]*) (\d+|U|C|\d+\+U)", holder.strip())
            if not match or match[1] in entries:
                raise ValueError(f"unreadable holding {holder.strip()!r}")
            what = match[2].split("+")
            pf = {"pf": int(what[0]) if what[0].isdigit() else 0}
            entries[match[1]] = (
                pf if plain else {**pf, "understanding": "U" in what, "control": "C" in what}
            )
    return board


def read_face_down(text: str) -> Tree:
    """Read `Poland: Germany 3+1+0, Russia 5` as face-down counters; 0 is a blank."""
    counters_by_area: Tree = {}
    for row in filter(None, (part.strip() for part in text.split(";"))):
        area, _, holders = row.partition(":")
        counters_by_area[area] = {}
        for holder in holders.split(","):
            nation, counters = holder.split()
            counters_by_area[area][nation] = [int(value) for value in counters.split("+")]
    return counters_by_area


def read_pairs(text: str) -> list[list[str]]:
    """Read `Britain + France; Germany + Russia`, or `none`."""
    return [
        pair.strip().split(" + ") for pair in text.split(";") if pair.strip() not in ("", "none")
    ]


def read_offers(text: str) -> Tree:
    """Read `Britain to France + Russia; Germany to Russia`, or `none`."""
    offers = [
        offer.strip().split(" to ")
        for offer in text.split(";")
        if offer.strip() not in ("", "none")
    ]
    return {nation: named.split(" + ") for nation, named in offers}


def show_board(board: Tree) -> str:
    """Write a board back, sorted, without zeros and false flags."""
    rows = []
    for area, holders in sorted(board.items()):
        shown = []
        for nation, entry in sorted(holders.items()):
            parts = [str(entry["pf"])] if entry.get("pf") else []
            parts += ["U"] if entry.get("understanding") else []
            parts += ["C"] if entry.get("control") else []
            shown += [f"{nation} {'+'.join(parts)}"] if parts else []
        rows += [f"{area}: {', '.join(shown)}"] if shown else []
    return "; ".join(rows) or "empty"


def show_event(event: Tree) -> str:
    """Return the parts of an event that a case may name, in contract order."""
    e = event
    parts = [str(e["kind"]), *([e["nation"]] if "nation" in e else [" + ".join(e["nations"])])]
    if e["kind"] == "placed_face_down":
        parts.append(f"{e['counters']} in {e['area']}")
    elif e["kind"] == "turned_up":
        parts += [e["area"], "+".join(map(str, e["counters"]))]
    elif e["kind"] in ("placed", "kept_home", "left_home"):
        parts += [f"{e['pf']} in {e['area']}", *([e["source"]] if "source" in e else [])]
    elif e["kind"] == "forfeited":
        parts.append(str(e["pf"]))
    elif "area" not in e:  # something drawn: for whom, and by which digits
        parts += [str(e[key]) for key in ("controller", "chart") if key in e]
        parts += [f"{key} {e[key]}" for key in ("die", "stock", "digit") if key in e]
        parts.append(
            "rejected "
            + (
                " + ".join(f"{row['stock']} {row['digit']}" for row in e.get("rejected", ()))
                or "none"
            )
        )
    else:
        parts.append(str(e["area"]))
    if "targets" in e:
        parts.append("on " + " + ".join(e["targets"]))
    if "attacker" in e:
        parts += [
            f"{e['attacker']} to {e['defender']}",
            f"odds {e['odds']}",
            f"stock {e['stock']}",
            f"volume {e['volume']}",
        ]
        parts += [f"digit {e['digit']}", f"result {e['result']}"]
        if "die" in e:
            rejected = (
                " + ".join(f"{row['stock']} {row['digit']}" for row in e["rejected"]) or "none"
            )
            parts += [f"die {e['die']}", f"rejected {rejected}"]
    parts += [str(e[key]) for key in ("counter", "reason") if key in e]
    if "losses" in e:
        parts.append(
            "losses "
            + (
                " + ".join(f"{nation} {lost}" for nation, lost in sorted(e["losses"].items()))
                or "none"
            )
        )
    return ", ".join(parts)


def set_path(tree: Tree, change: str) -> None:
    """Apply a change such as `home.USA = null`; null removes the key."""
    path, equals, value = change.partition(" = ")
    if not equals:
        raise ValueError(f"no ' = ' in {change!r}")
    *way, last = path.split(".")
    for step in way:
        tree = tree.setdefault(step, {})
    tree[last] = json.loads(value)
    if tree[last] is None:
        del tree[last]


def build(case: Case) -> Tree:
    """Build the situation of contract.md section 4."""
    match = re.fullmatch(
        r"(\d+) (placement|attacks(?:-[a-z]+)?|counters|allies|orders|turn-[a-z-]+)",
        case.first("phase"),
    )
    if not match:
        raise ValueError(f"phase wants `3 attacks`, not {case.first('phase')!r}")
    game = "origins-ww1" if case.sister else "origins-ww2"
    card: Any = case.first("card", "standard" if case.sister else "historical")
    if "with" in case.given:
        card = tomllib.loads((CARDS / game / f"{card}.toml").read_text())
        for change in case.given["with"]:
            set_path(card, change)
    board = read_board(case.first("board"), case.sister)
    tree: Tree = {
        "game": game,
        "card": card,
        "turn": int(match[1]),
        "phase": match[2],
        "board": board,
    }
    for key, joiner in (("options", "="), ("volumes", " ")):
        pairs = [pair.strip().split(joiner) for pair in case.first(key).split(",") if pair.strip()]
        if pairs:
            tree[key] = {name: int(value) if key == "volumes" else value for name, value in pairs}
    if "face_down" in case.given:
        tree["face_down"] = read_face_down(case.first("face_down"))
    if "alliances" in case.given:
        tree["alliances"] = read_pairs(case.first("alliances"))
    if "offers" in case.given:
        tree["offers"] = read_offers(case.first("offers"))
    tree["orders"] = {nation: "\n".join(lines) for nation, lines in case.orders.items()}
    tree["reserves"] = case.first("reserves").split()
    for change in case.given.get("tree", []):
        set_path(tree, change)
    return tree


def read_cases(path: Path) -> list[Case]:
    """Read the cases of a file."""
    cases: list[Case] = []
    starts: list[int] = []
    into: dict[str, list[str]] = {}
    for number, line in enumerate(path.read_text().split("\n"), 1):
        fault = f"{path.name}:{number}"
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("=== "):
            cases.append(Case(path.name, line[4:].strip()))
            starts.append(number)
            into = cases[-1].given
            continue
        if not cases:
            raise CaseError(f"{fault}: a case begins with `=== `")
        case = cases[-1]
        order = re.fullmatch(r"([\w-]+) >(?: (.*))?", line)
        key, colon, value = line.partition(":")
        if line.strip() == "--" and into is case.given:
            into = case.wanted
        elif order and into is case.given:
            case.orders.setdefault(order[1], []).append(order[2] or "")
        elif colon and key in (SITUATION if into is case.given else EXPECTATION):
            if key in into and key not in ("event", "with", "tree"):
                raise CaseError(f"{fault}: {key} twice")
            into.setdefault(key, []).append(value.strip())
        else:
            raise CaseError(f"{fault}: not a line of a case: {line!r}")
    for number, case in zip(starts, cases, strict=True):
        try:
            if "rule" not in case.given or not case.wanted:
                raise ValueError("a case needs a rule and an expectation")
            case.tree = build(case)
            if case.wanted.get("board", ["empty"])[0] not in ("empty", "as before"):
                read_board(case.wanted["board"][0])
        except (ValueError, KeyError) as error:
            raise CaseError(f"{path.name}:{number}: {case.title}: {error}") from error
    if len({case.title for case in cases}) < len(cases):
        raise CaseError(f"{path.name}: two cases of one title")
    return cases


def compare(case: Case, got: Tree) -> list[str]:
    """Return the differences from the expectation as sentences."""
    wanted, faults = case.wanted, []

    def check(what: str, expected: object, actual: object) -> None:
        if expected != actual:
            faults.append(f"{what}\n    expected: {expected}\n    got:      {actual}")

    if "board" in wanted:
        text = wanted["board"][0]
        board = (
            case.tree["board"]
            if text == "as before"
            else {}
            if text == "empty"
            else read_board(text)
        )
        check("board", show_board(board), show_board(got["board"]))
    if "face_down" in wanted:
        check(
            "face down",
            read_face_down(wanted["face_down"][0].removeprefix("nothing")),
            got["face_down"],
        )
    if "alliances" in wanted:
        check("alliances", read_pairs(wanted["alliances"][0]), got["alliances"])
    if "offers" in wanted:
        check("offers", read_offers(wanted["offers"][0]), got.get("offers", {}))
    if "event" in wanted or "events" in wanted:
        only = wanted.get("only", [""])[0]
        events = [
            e for e in got["events"] if not only or only in (e.get("nation"), *e.get("nations", ()))
        ]
        shown = [show_event(event) for event in events]
        lines = wanted.get("event", [])
        if len(lines) != len(shown) or any(
            set(a.split(", ")) - set(b.split(", ")) for a, b in zip(lines, shown, strict=True)
        ):
            check(
                "events",
                "".join(f"\n      {line}" for line in lines),
                "".join(f"\n      {line}" for line in shown),
            )
    remarks = [(nation, remark) for nation, rows in got["remarks"].items() for remark in rows]
    refused = sorted(
        f"{nation} {remark['line']} {remark['code']}"
        for nation, remark in remarks
        if remark["severity"] == "error"
    )
    check("remarks", sorted(filter(None, wanted.get("remarks", [""])[0].split("; "))), refused)
    warned = {
        f"{nation} {remark['line']}"
        for nation, remark in remarks
        if remark["severity"] == "warning"
    }
    missing = set(filter(None, wanted.get("warnings", [""])[0].split("; "))) - warned
    check("warnings that are missing", set(), missing)
    noted = {
        f"{nation} {remark['line']} {remark['code']}"
        for nation, remark in remarks
        if remark["severity"] == "note"
    }
    check(
        "notes that are missing",
        set(),
        set(filter(None, wanted.get("notes", [""])[0].split("; "))) - noted,
    )
    for pair in filter(None, wanted.get("scores", [""])[0].split(", ")):
        nation, points = pair.rsplit(" ", 1)
        check(f"score of {nation}", int(points), got["scores"].get(nation))
    if "winners" in wanted:
        check(
            "winners",
            wanted["winners"][0],
            ", ".join(got["winners"]) if got["winners"] is not None else "none",
        )
    if "next" in wanted:
        check(
            "next",
            wanted["next"][0],
            f"{got['next']['turn']} {got['next']['phase']}" if got["next"] else "over",
        )
    return faults


def tell(case: Case, faults: list[str]) -> str:
    """Describe a failure in full, so that the case file need not be opened."""
    orders = [f"  {nation} > {line}" for nation, lines in case.orders.items() for line in lines]
    given = [f"{key}: {value}" for key, values in case.given.items() for value in values]
    return "\n".join([f"{case.file}: {case.title}", *given, "orders:", *orders, *faults])


CASES = [case for path in sorted(HERE.glob("*.txt")) for case in read_cases(path)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.file}: {case.title}")
def test_case(case: Case) -> None:
    if "malformed" in case.wanted:
        with pytest.raises(games.rules.RulesError) as caught:
            adjudicate(deepcopy(case.tree))
        assert case.wanted["malformed"][0] in str(caught.value), tell(
            case, [f"refused with: {caught.value}"]
        )
        return
    faults = compare(case, adjudicate(deepcopy(case.tree)))
    if faults:
        pytest.fail(tell(case, faults), pytrace=False)


# The printed play-by-mail table, row by row as on the sheet (rules C.0): columns 1-1 to 5-1.
TABLE = """\
1 X D D D D
2 X X D D D
3 D X D D D
4 - X D D D
5 - X D D D
6 - X X D D
7 - - X D D
8 A - X X D
9 A - - X X
0 A - - X X"""
CELLS = [
    (int(row.split()[0]), odds, result)
    for row in TABLE.split("\n")
    for odds, result in enumerate(row.split()[1:], 1)
]


@pytest.mark.parametrize(("digit", "odds", "result"), CELLS)
def test_printed_table_decides_every_cell(digit: int, odds: int, result: str) -> None:
    """Also check what each result leaves of both sides."""
    pfs = 4 * odds + 3
    tree = {
        "game": "origins-ww2",
        "card": "historical",
        "turn": 2,
        "phase": "attacks",
        "board": {"Austria": {"France": {"pf": pfs}, "Germany": {"pf": 4}}},
        "orders": {"France": "ATTACK Austria: Germany STOCK GE"},
        "volumes": {"GE": 7654000 + 100 * digit + 99},
    }
    got = adjudicate(tree)
    assert [(e["odds"], e["digit"], e["result"]) for e in got["events"]] == [
        (f"{odds}-1", digit, result)
    ]
    left = {"D": (pfs, 0), "A": (0, 4), "X": (pfs - 4, 0), "-": (pfs, 4)}[result]
    board = read_board(
        "Austria: "
        + ", ".join(f"{n} {pf}" for n, pf in zip(("France", "Germany"), left, strict=True) if pf)
    )
    assert show_board(got["board"]) == show_board(board)


@pytest.mark.parametrize(
    ("line", "where"),
    [
        ("bored: Poland: Germany 3", ":3"),
        ("board: Poland Germany 3", ":1"),
        ("board: Poland: Germany many", ":1"),
        ("Germany ATTACK", ":3"),
    ],
)
def test_case_fault_names_file_and_line(tmp_path: Path, line: str, where: str) -> None:
    """It names the line, or the first line of the case if the content is wrong."""
    path = tmp_path / "faulty.txt"
    path.write_text(f"=== A case\nrule: C K1\n{line}\nphase: 3 attacks\n--\nevents: none\n")
    with pytest.raises(CaseError, match=rf"^faulty\.txt{where}: "):
        read_cases(path)
