"""Rulings as plain sentences, for the public list."""

from __future__ import annotations

from collections.abc import Callable

from . import REFEREE_SEAT, Cell, Json, options
from .digits import digit_of_shares, roll_number
from .lands import PF, Unit
from .names import all_of
from .rulings import VOID, cells_of

LONGEST_WORDS = 500


def words(kind: str, what: Json, title: str = "", unit: Unit = PF) -> str:
    """Return one plain sentence for the public list about a ruling that `check` accepted.

    `title` is that of the phase, where the ruling is about it; `unit` is that of the game's
    counters.
    """
    return _shorten(
        _position_sentence(what, unit) if kind == "position" else _SENTENCES[kind](what, title)
    )


def _shorten(sentence: str) -> str:
    short = f"{sentence[: LONGEST_WORDS - 2].rstrip()} …"
    return sentence if len(sentence) <= LONGEST_WORDS else short


def _orders_sentence(what: Json, title: str) -> str:
    if what["nation"] == REFEREE_SEAT:
        if "submission" in what:
            return f"Submission {what['submission']} is accepted as the gamesmaster's report."
        return f"The gamesmaster's report is {'struck' if what['text'] is None else 'amended'}."
    if "submission" in what:
        return f"Submission {what['submission']} of {what['nation']} is accepted: its orders count."
    return f"The orders of {what['nation']} are {'struck' if what['text'] is None else 'amended'}."


def _digit_sentence(what: Json, title: str) -> str:
    stock, volume = what["stock"], what["volume"]
    if roll_number(stock) is not None:
        return f"{stock} counts as {digit_of_shares(volume)}."
    if volume is None:
        return f"{stock} counts as having no usable report."
    return f"The sales of {stock} count as {volume:,}."


#: The result of an attack in words, for the tables of all games.
_RESULTS = {
    **dict.fromkeys(("A", "AE"), "fails: the attacker is eliminated"),
    **dict.fromkeys(("D", "DE"), "succeeds: the defender is eliminated"),
    **dict.fromkeys(("X", "EX"), "is an exchange"),
    "-": "has no effect",
    VOID: "is void",
}


def _result_sentence(what: Json, title: str) -> str:
    attack = f"The attack of {what['nation']} in line {what['line']} of its orders"
    return f"{attack} {_RESULTS[what['result']]}."


def _position_sentence(what: Json, unit: Unit) -> str:
    cells = cells_of(what["cells"])
    # Sorted, because a database may change the order of keys, and the sentence must stay the same.
    sentences = [
        f"{nation} {_describe_cell(cell, unit)} in {area}"
        for area, row in sorted(cells.items())
        for nation, cell in sorted(row.items())
    ]
    return f"The position becomes: {'; '.join(sentences)}."


def _describe_cell(cell: Cell, unit: Unit) -> str:
    parts = [unit.amount(cell.pf)] if cell.pf else []
    parts += ["an Understanding"] * cell.understanding + ["CONTROL"] * cell.control
    return f"has {' and '.join(parts)}" if parts else "has nothing"


def _counter_sentence(what: Json, title: str) -> str:
    nation, area, is_understanding = (
        what["nation"],
        what["area"],
        what["counter"] == "understanding",
    )
    if what["given"]:
        return (
            f"{nation} is given {'an Understanding' if is_understanding else 'CONTROL'} in {area}."
        )
    return f"{nation} loses {'its Understanding' if is_understanding else 'CONTROL'} in {area}."


def _alliance_sentence(what: Json, title: str) -> str:
    both = all_of(what["nations"])
    return f"{both} are allies." if what["allied"] else f"{both} are no longer allies."


def _controller_sentence(what: Json, title: str) -> str:
    return f"{what['controller']} sends {what['nation']}'s orders until the turn ends."


def _points_sentence(what: Json, title: str) -> str:
    points = what["points"]
    number = f"{abs(points)} point{'' if abs(points) == 1 else 's'}"
    return f"{what['nation']} {'gets' if points > 0 else 'loses'} {number}."


def _option_sentence(what: Json, title: str) -> str:
    option = options.OPTIONS[what["option"]]
    label = option.label(what["value"])
    if option.title.endswith("?"):
        return f"For this phase: {option.title} {label[0].upper()}{label[1:]}."
    return f"For this phase: {option.title}: {label}."


_SENTENCES: dict[str, Callable[[Json, str], str]] = {
    "orders": _orders_sentence,
    "digit": _digit_sentence,
    "result": _result_sentence,
    "counter": _counter_sentence,
    "alliance": _alliance_sentence,
    "controller": _controller_sentence,
    "points": _points_sentence,
    "option": _option_sentence,
    "again": lambda what, title: f"{title or 'The phase'} is judged again.",
    "rollback": lambda what, title: (
        f"The game goes back to the moment at which {title or 'the phase'} opened."
    ),
    "revoke": lambda what, title: f"Ruling {what['ruling']} is revoked.",
}
