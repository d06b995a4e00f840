"""Put scores, tables and options into words for people: pages and letters never show the ids that
programs use."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from games.rules import ResultTable, Standing
from games.rules.options import Option
from games.rules.verbs import Help

#: Columns of the list of orders in letters; lines are indented by 4.
FORM_WIDTH, MEANING_WIDTH = 30, 36
#: What a nation does in the sentence of an event, and the same of its reader.
_ACTS = {
    "attacks": "attack",
    "cannot": "cannot",
    "forfeits": "forfeit",
    "gets": "get",
    "has": "have",
    "keeps": "keep",
    "lays": "lay",
    "leaves": "leave",
    "loses": "lose",
    "moves": "move",
    "places": "place",
    "played": "played",
    "plays": "play",
    "takes": "take",
    "turns": "turn",
}
#: The attacker in the reason of a void attack: “it has nothing there”.
_ATTACKER = {"it has": "you have", "it is": "you are", "its": "your"}
#: Lists of nations in the middle of a sentence: who is attacked, loses an Understanding, is immune.
_LISTS = re.compile(
    r"(?<=\battacks )(.+?)(?= in )|(?<=\battack on )(.+?)(?= in )"
    r"|(?<=\bthe Understanding of )(.+?)(?= is lost)"
    r"|(?:(?<=: )|(?<=\())([^:(]+?)(?= have Understandings in )"
)


def address_reader(sentence: str, nation: str) -> str:
    """Return an event's sentence with “you” for its reader's nation: “France attacks you …”

    Areas have nations' names too, so a name changes only where a nation acts, is attacked or is
    counted among others.
    """
    if nation not in sentence:  # most sentences
        return sentence
    name = re.escape(nation)
    acts = "|".join(_ACTS)
    one_of_list = re.compile(rf"(?:(?<=^)|(?<=, )|(?<= and )){name}(?=$|, | and )")
    sentence = _LISTS.sub(lambda names: one_of_list.sub("you", names[0]), sentence)
    sentence = sentence.replace("the Understanding of you is", "your Understanding is")
    sentence = re.sub(
        rf"(?:(?<=: )|(?<=\()){name} has (an Understanding in .+ and) is immune",
        r"you have \1 are immune",
        sentence,
    )
    sentence = sentence.replace(
        f"No chart could be drawn for {nation}'s", "No chart could be drawn for your"
    )
    sentence = re.sub(rf"(?<=, ){name} loses\b", "you lose", sentence)
    sentence = re.sub(rf"(?<=\. ){name} loses\b", "You lose", sentence)
    if sentence.startswith(f"{nation}'s attack "):
        attack, colon, reason = sentence.removeprefix(f"{nation}'s").partition(":")
        for its, yours in _ATTACKER.items():
            reason = re.sub(rf"\b{its}\b", yours, reason, count=1)
        return f"Your{attack}{colon}{reason}"
    if own := re.match(rf"{name} (sent no orders and )?({acts})\b", sentence):
        rest = re.sub(r"\bits\b", "your", sentence[own.end() :])
        return f"You {own[1] or ''}{_ACTS[own[2]]}{rest}"
    if sentence[:1].isdigit():  # several attacks or counters, each with its nation
        return re.sub(
            rf"(?<=[:;] ){name}(?= in | an Understanding | (?:shared )?CONTROL )", "you", sentence
        )
    if together := re.match(r"(.+?) (?:share CONTROL in|are allies\b)", sentence):
        names = one_of_list.sub("you", together[1])
        return f"{names[:1].upper()}{names[1:]}{sentence[together.end(1) :]}"
    return sentence


def odds_words(column: str) -> str:
    """Return a column of the printed table in words: “2-1”, “below 1-1”."""
    return column if "-" in column else "below 1-1"


def form_lines(forms: Iterable[Help]) -> list[str]:
    """Return order forms with their meanings beside them, in lines for letters.

    A long form has its meaning on the lines below. Letters are short: of a meaning they have what
    comes before the first semicolon; pages have the rest.
    """
    lines: list[str] = []
    for form, _, meaning in forms:
        first, *more = textwrap.wrap(meaning.partition(";")[0], MEANING_WIDTH)
        if len(form) <= FORM_WIDTH:
            lines.append(f"{form:<{FORM_WIDTH}}  {first}")
        else:
            lines += [form, f"{'':<{FORM_WIDTH}}  {first}"]
        lines += [f"{'':<{FORM_WIDTH}}  {line}" for line in more]
    return lines


def figure(number: float | str) -> str:
    """Return a number with a minus sign, not a hyphen: “−3”."""
    return str(number).replace("-", "\N{MINUS SIGN}")


def signed(number: int) -> str:
    """Return a change with its sign: “+2” or “−1”; 0 as it is."""
    return f"+{number}" if number > 0 else figure(number)


def rank(scores: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return nations with their scores, the best first."""
    return sorted(scores.items(), key=lambda entry: -entry[1])


def scores_line(scores: Mapping[str, int], before: Mapping[str, int] = {}) -> str:
    """Return “Germany 9 (+5), France 6, USA 4 (−2)”, with the changes since `before`."""
    parts = []
    for nation, score in rank(scores):
        change = score - before.get(nation, score)
        parts.append(f"{nation} {figure(score)}" + (f" ({signed(change)})" if change else ""))
    return ", ".join(parts)


def alliance_sentences(standing: Standing) -> list[str]:
    """Return a sentence with the points of each alliance that the reader may know of."""
    return [
        f"{first} and {second}, allied: {figure(points)} together, all others {figure(rest)}."
        for (first, second), points, rest in standing.sums()
    ]


def table_lines(table: ResultTable) -> list[str]:
    """Return the lines of the printed table; equal rows share a line."""
    rows: dict[tuple[str, ...], list[int]] = {}
    for row, results in table.rows:
        rows.setdefault(tuple(results), []).append(row)
    columns = "".join(f"{column if '-' in column else '<1-1':>5}" for column in table.columns)
    return [
        " " * 11 + columns,
        *(
            f"{table.thrown} {', '.join(map(str, numbers))}".ljust(11)
            + "".join(f"{result:>5}" for result in results)
            for results, numbers in rows.items()
        ),
    ]


def outcomes_line(table: ResultTable) -> str:
    return f"{'; '.join(f'{result}: {means}' for result, means in table.meanings.items())}."


def unusual_options(options: list[Option], values: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each option with an unusual value: “A tie for the win: more CONTROL
    counters win.”"""
    sentences = []
    for option in options:
        value = values.get(option.id, option.default)
        if value != option.usual:
            colon = "" if option.title.endswith("?") else ":"
            sentences.append(f"{option.title.removesuffix('.')}{colon} {option.label(value)}.")
    return sentences


def option_rows(options: list[Option], values: Mapping[str, Any]) -> list[tuple[str, str, bool]]:
    """Return, for each option, its description, its value in words, and whether that is unusual."""
    rows = []
    for option in options:
        value = values.get(option.id, option.default)
        rows.append((option.text, option.label(value), value != option.usual))
    return rows


def gather_done(events: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the events of a result as they are told.

    That a line was done tells others nothing but that, because its text is secret (Rules B.8): the
    lines of a nation that were done are one event with one sentence, where the first of them is.
    """
    events = list(events)
    done = Counter(str(event["nation"]) for event in events if _is_done(event))
    told: list[dict[str, Any]] = []
    for event in events:
        if not _is_done(event):
            told.append({**event})
        elif number := done.pop(str(event["nation"]), 0):
            noun = "1 line is" if number == 1 else f"{number} lines are"
            told.append({**event, "message": f"{event['nation']}: {noun} done as ordered."})
    return told


def _is_done(event: Mapping[str, Any]) -> bool:
    return event["kind"] == "line" and event.get("ruling") == "done"
