"""Test `manage.py adjudicate` and situations (contract 1 and 4)."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from games.rules import RulesError, cards
from games.rules.options import validate
from games.rules.registry import ruleset
from games.rules.situation import adjudicate

ROOT = Path(__file__).resolve().parents[2]


def situation(**changes: Any) -> dict[str, Any]:
    """Return a situation of one attack in Poland, with changes."""
    return {
        "id": "one",
        "game": "origins-ww2",
        "card": "historical",
        "turn": 3,
        "phase": "attacks",
        "board": {"Poland": {"Germany": {"pf": 8}, "Russia": {"pf": 3}}},
        "orders": {"Germany": "ATTACK Poland: Russia STOCK GE\nCONTROL Poland"},
        "volumes": {"GE": 5412345},
        **changes,
    }


def test_situation_is_judged_and_its_id_echoed() -> None:
    """Contract 4: the complete form of a resolution."""
    answer = adjudicate(situation(id={"any": ["thing"]}))
    assert set(answer) == {"id", "board", "events", "remarks", "scores", "winners", "next"}
    assert answer["id"] == {"any": ["thing"]}
    assert answer["board"] == {
        "Poland": {"Germany": {"pf": 0, "understanding": False, "control": True}}
    }
    attack, control = answer["events"]
    assert attack["message"] == (
        "Germany attacks Russia in Poland, 8 to 3 (2-1). "
        "GE sold 5,412,345 shares: digit 3, exchange. Russia loses 3, Germany loses 3."
    )
    assert (attack["line"], attack["losses"], attack["rule"]) == (
        1,
        {"Russia": 3, "Germany": 3},
        "C K12",
    )
    assert (control["kind"], control["nation"], control["area"]) == ("control", "Germany", "Poland")
    assert answer["remarks"] == {}
    assert answer["scores"]["Germany"] == 5
    assert answer["winners"] is None
    assert answer["next"] == {"turn": 4, "phase": "placement"}


def test_optional_keys_of_a_situation_may_be_missing() -> None:
    """Contract 4: options, orders, volumes, reserves and the id, which is then null."""
    tree = {
        key: value
        for key, value in situation(board={}).items()
        if key in ("game", "card", "turn", "phase", "board")
    }
    answer = adjudicate(tree)
    assert answer["id"] is None
    assert answer["events"] == []


def test_card_may_be_given_in_full_and_unknown_keys_are_ignored() -> None:
    """Contract 4."""
    given = adjudicate(situation(card=cards.load("origins-ww2", "historical"), remark="for myself"))
    assert given == adjudicate(situation())


def test_last_phase_names_the_winners_and_no_next_phase() -> None:
    """Contract 4: winners in card order; null when the game is over."""
    answer = adjudicate(situation(turn=6, board={"Rhineland": {"France": {"pf": 5}}}, orders={}))
    assert answer["next"] is None
    assert answer["winners"] == ["USA"]


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("missing board", {"board": ...}, "board is missing"),
    ("missing turn", {"turn": ...}, "turn is missing"),
    ("unknown game", {"game": "chess"}, "game: unknown game “chess”"),
    ("game no text", {"game": 3}, "game must be text"),
    ("unknown card", {"card": "nosuch"}, "card: unknown card “nosuch”"),
    ("card neither", {"card": 3}, "card must be"),
    ("card at fault", {"card": {"game": "origins-ww2"}}, "card.name: is missing"),
    ("card of another game", {"card": {"game": "origins-ww1"}}, "card.game is not"),
    ("turn too late", {"turn": 7}, "turn must be"),
    ("turn nought", {"turn": 0}, "turn must be"),
    ("turn a fraction", {"turn": 3.0}, "turn must be"),
    ("turn true", {"turn": True}, "turn must be"),
    ("unknown phase", {"phase": "placement-usa"}, "phase must be"),
    ("phase a list", {"phase": []}, "phase must be"),
    ("unknown option", {"options": {"ow2.nosuch": "x"}}, "options: ow2.nosuch is not an option"),
    ("bad value", {"options": {"ow2.sub_1_1": "x"}}, "options: ow2.sub_1_1 must be"),
    ("options a list", {"options": []}, "options must be an object"),
    ("board a list", {"board": []}, "board must be an object"),
    ("unknown area", {"board": {"Atlantis": {}}}, "board.Atlantis: not an area"),
    ("area a number", {"board": {"Poland": 3}}, "board.Poland must be an object"),
    (
        "unknown nation",
        {"board": {"Poland": {"Italy": {"pf": 3}}}},
        "board.Poland.Italy: not a nation",
    ),
    (
        "cell a number",
        {"board": {"Poland": {"Germany": 3}}},
        "board.Poland.Germany must be an object",
    ),
    (
        "pf negative",
        {"board": {"Poland": {"Germany": {"pf": -1}}}},
        "board.Poland.Germany.pf must be a whole number",
    ),
    (
        "pf true",
        {"board": {"Poland": {"Germany": {"pf": True}}}},
        "board.Poland.Germany.pf must be a whole number",
    ),
    (
        "pf a fraction",
        {"board": {"Poland": {"Germany": {"pf": 1.0}}}},
        "board.Poland.Germany.pf must be a whole number",
    ),
    (
        "flag a number",
        {"board": {"Poland": {"Germany": {"control": 1}}}},
        "board.Poland.Germany.control must be true or false",
    ),
    ("unknown key", {"board": {"Poland": {"Germany": {"pfs": 1}}}}, "board.Poland.Germany.pfs"),
    ("orders of nobody", {"orders": {"Italy": ""}}, "orders.Italy: not a nation"),
    ("orders no text", {"orders": {"Germany": ["PASS"]}}, "orders.Germany must be text"),
    ("volume a fraction", {"volumes": {"GE": 1.5}}, "volumes.GE must be a whole number"),
    ("reserves text", {"reserves": "AA"}, "reserves must be a list"),
    ("a reserve a number", {"reserves": ["AA", 3]}, "reserves[1] must be text"),
]


@pytest.mark.parametrize(
    ("changes", "message"),
    [(changes, message) for _, changes, message in BAD],
    ids=[name for name, _, _ in BAD],
)
def test_malformed_situation_is_refused_by_its_key(changes: dict[str, Any], message: str) -> None:
    """Contract 4: the message names the key."""
    tree = {key: value for key, value in situation(**changes).items() if value is not ...}
    with pytest.raises(RulesError) as raised:
        adjudicate(tree)
    assert str(raised.value).startswith(message)


class Report(dict[str, int]):
    """Record which symbols were asked for, in order."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.asked: list[str] = []

    def get(self, symbol: str, default: Any = None, /) -> Any:
        self.asked.append(symbol)
        return super().get(symbol, default)


def resolved(
    volumes: Any, reserves: list[str], orders: dict[str, str], options: dict[str, str] | None = None
) -> list[dict[str, Any]]:
    """Resolve one attack phase of turn 1 and return its events."""
    rules = ruleset("origins-ww2")
    card, chosen = cards.load("origins-ww2", "historical"), validate(options or {})
    board = {
        "Poland": {"Germany": {"pf": 8}, "Russia": {"pf": 3}},
        "Austria": {"Germany": {"pf": 5}, "France": {"pf": 1}},
    }
    state = rules.situation({"turn": 1, "phase": "attacks", "board": board}, card, chosen)
    return list(rules.resolve(state, orders, volumes, reserves).events)


def test_figures_are_requested_in_order_of_use_and_only_when_needed() -> None:
    """Contract 4.1 step 6: a void attack draws nothing and uses no reserve."""
    report = Report({"F": 100, "AA": 200, "BA": 300})
    orders = {
        "Germany": "ATTACK Poland: France STOCK T\nATTACK Austria: France STOCK GE/F",
        "Russia": "ATTACK Poland: France, USA STOCK X",
    }
    events = resolved(report, ["AA", "BA"], orders)
    assert report.asked == ["GE", "F"]
    assert [event["kind"] for event in events] == ["void", "void", "attack"]


def test_unknown_figure_stops_the_resolution() -> None:
    """What `get` raises passes through; the service then waits for the figure."""

    class Waiting:
        def get(self, symbol: str, /) -> int | None:
            raise LookupError(symbol)

    with pytest.raises(LookupError, match="GE"):
        resolved(Waiting(), [], {"Germany": "ATTACK Poland: Russia STOCK GE"})


@pytest.mark.parametrize(
    ("options", "stock"),
    [
        ({}, "GE"),
        ({"rng.duplicate_stock": "reserve_always"}, "AA"),
        ({"rng.stock_choice": "list_only"}, "AA"),
    ],
)
def test_same_stock_may_decide_for_two_nations_unless_an_option_forbids_it(
    options: dict[str, str], stock: str
) -> None:
    """rng.duplicate_stock and rng.stock_choice."""
    orders = {
        "Russia": "ATTACK Austria: France STOCK GE",
        "Germany": "ATTACK Poland: Russia STOCK GE",
    }
    assert resolved({"GE": 300, "AA": 300}, ["AA"], orders, options)[-1]["stock"] == stock


def test_no_reserve_is_used_if_attacks_without_a_stock_are_void() -> None:
    """rng.no_stock = attack_void."""
    events = resolved(
        {"AA": 300}, ["AA"], {"Germany": "ATTACK Poland: Russia"}, {"rng.no_stock": "attack_void"}
    )
    assert events[0]["reason"] == "no_digit"


def run(text: str | bytes, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    """Run the command with this standard input and return its output."""
    data = text if isinstance(text, bytes) else text.encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
    out = io.StringIO()
    call_command("adjudicate", *arguments, stdout=out)
    return out.getvalue()


def test_command_reads_standard_input_or_a_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Contract 1."""
    file = tmp_path / "situation.json"
    file.write_text(json.dumps(situation()))
    assert (
        json.loads(run(json.dumps(situation()), monkeypatch))
        == json.loads(run("", monkeypatch, str(file)))
        == adjudicate(situation())
    )


def test_lines_option_answers_each_situation_in_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Contract 4: malformed lines are answered too; blank lines are skipped."""
    lines = [
        json.dumps(situation(id=1)).encode(),
        b"",
        b'{"id": "two", "game": "chess"}',
        b"not json",
        b"[1]",
        b"\xff{}",
        b'{"id": 4, "turn": NaN}',
        b"[" * 5000,
        json.dumps(situation(id=9)).encode(),
    ]
    answers = [
        json.loads(line) for line in run(b"\n".join(lines), monkeypatch, "--lines").splitlines()
    ]
    assert [answer["id"] for answer in answers] == [1, "two", None, None, None, None, None, 9]
    assert ["error" in answer for answer in answers] == [
        False,
        True,
        True,
        True,
        True,
        True,
        True,
        False,
    ]
    assert answers[0]["board"] == answers[-1]["board"]


@pytest.mark.parametrize(
    "text", ["", "nonsense", "[]", json.dumps({"game": "chess"}), '{"turn": ' + "9" * 5000 + "}"]
)
def test_malformed_situation_prints_nothing_and_exits_with_status_2(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Contract 4."""
    with pytest.raises(CommandError) as raised:
        run(text, monkeypatch)
    assert raised.value.returncode == 2


def test_lone_surrogate_in_an_id_is_echoed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Contract 4: the id may be any JSON value and is echoed."""
    assert json.loads(run('{"id": "\\ud800"}', monkeypatch, "--lines"))["id"] == "\ud800"


@pytest.mark.parametrize(("text", "status"), [(json.dumps(situation()), 0), ("{}", 2)])
def test_exit_status_and_output_tell_success_from_failure(
    text: str, status: int, tmp_path: Path
) -> None:
    """Contract 4: status 2, empty standard output, and the message on standard error."""
    command = [sys.executable, "manage.py", "adjudicate"]
    ran = subprocess.run(command, cwd=ROOT, input=text, capture_output=True, text=True, check=False)
    assert ran.returncode == status
    assert bool(ran.stdout) == (status == 0)
    assert ("game is missing" in ran.stderr) == (status == 2)


CHANGES: list[Callable[[dict[str, Any]], None]] = [
    lambda tree: tree["orders"].update(Russia="ATTACK Poland: Germany MIN 5-1"),
    lambda tree: tree["orders"].update(Russia="nonsense"),
    lambda tree: tree["orders"].update(Russia="ATTACK Poland: France"),
]


@pytest.mark.parametrize("change", CHANGES)
def test_void_or_refused_attack_does_not_change_the_board(
    change: Callable[[dict[str, Any]], None],
) -> None:
    """D2, K3: no losses, no digit used."""
    tree = situation()
    change(tree)
    assert adjudicate(tree)["board"] == adjudicate(situation())["board"]
