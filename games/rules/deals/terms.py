"""Promises of two nations to each other, read from text and written as text.

    PEACE Poland UNTIL TURN 4; I LEAVE Austria; YOU SUPPORT ATTACK Russia IN Rumania

`I`, `YOU`, `BOTH` or the name of one of the two says who promises. Without it both do, except that
LEAVE is asked of the other nation. Without UNTIL TURN a promise is for the present turn.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from ..names import NameFault, Vocabulary, all_of, fold, vocabulary
from ..orders import shorten

PEACE, ATTACK, LEAVE, SHARE, ALLY = "peace", "attack", "leave", "share", "ally"
#: How each promise is written, as an example: with areas of every game that has the promise.
FORMS = {
    PEACE: "PEACE Rumania UNTIL TURN 4",
    ATTACK: "SUPPORT ATTACK Russia IN Rumania",
    LEAVE: "LEAVE Austria",
    SHARE: "SHARE CONTROL Poland",
    ALLY: "ALLY",
}
#: Joint promises: one nation alone cannot keep them.
TOGETHER = (SHARE, ALLY)
#: The most promises in one deal.
MOST = 6
_WORDS = {
    "peace": PEACE,
    "truce": PEACE,
    "support": ATTACK,
    "attack": ATTACK,
    "leave": LEAVE,
    "share": SHARE,
    "ally": ALLY,
    "alliance": ALLY,
}
_UNTIL = re.compile(r"\s*\b(?:until|till|through|by)\s+(?:the\s+end\s+of\s+)?turn\s+(\S+)$", re.I)
_NEVER_ENDING = re.compile(
    r"\s*\b(?:until|till|through)\s+(?:the\s+)?end(?:\s+of\s+the\s+game)?$", re.I
)
_WRITTEN = re.compile(r"UNTIL TURN (\d+)(?=;|$)")
_PARTS = re.compile(r"\s*(?:;|\n|,|\band\b)\s*", re.I)


class DealFault(Exception):
    """Terms that cannot be read. `str()` is one sentence that quotes them and says what to do."""


@dataclass(frozen=True)
class Clause:
    """One promise.

    `pair` is the nation that proposes and the other one; `parties` are those of them that promise.
    `area` is "" for peace everywhere and for alliances; `target` is the nation that they attack;
    `until` is the last turn for which it holds, or by whose end it is done.
    """

    verb: str
    pair: tuple[str, str]
    parties: tuple[str, ...]
    until: int
    area: str = ""
    target: str = ""

    def other(self, nation: str) -> str:
        return self.pair[1] if nation == self.pair[0] else self.pair[0]

    def words(self) -> str:
        """Return the promise as text that `read` understands for either side."""
        who = f"{self.parties[0]} " if len(self.parties) == 1 else "BOTH "
        promise = {
            PEACE: f"PEACE {self.area}".strip(),
            ATTACK: f"SUPPORT ATTACK {self.target} IN {self.area}",
            LEAVE: f"LEAVE {self.area}",
            SHARE: f"SHARE CONTROL {self.area}",
            ALLY: "ALLY",
        }[self.verb]
        default = len(self.parties) == 2 and self.verb != LEAVE
        return f"{'' if default else who}{promise} UNTIL TURN {self.until}"

    def brief(self) -> str:
        """Return the promise in a few words, for a subject: “peace in Poland until turn 4”."""
        where = f" in {self.area}" if self.area else ""
        promise = {
            PEACE: f"peace{where} until",
            ATTACK: f"an attack on {self.target}{where} by",
            LEAVE: f"out of {self.area} until",
            SHARE: f"shared CONTROL{where} by",
            ALLY: "an alliance by",
        }[self.verb]
        return f"{promise} turn {self.until}"

    def sentence(self) -> str:
        """Return the promise as a sentence: “Germany and France do not attack each other …”."""
        who, alone = all_of(self.parties), len(self.parties) == 1
        through, by = f"through turn {self.until}", f"by the end of turn {self.until}"
        where = f" in {self.area}" if self.area else ""
        match self.verb:
            case "peace" if alone:
                return f"{who} does not attack {self.other(who)}{where} {through}."
            case "peace":
                return f"{who} do not attack each other{where} {through}."
            case "attack":
                verb = "attacks" if alone else "both attack"
                return f"{who} {verb} {self.target}{where} {by}."
            case "leave":
                verb = "stays" if alone else "stay"
                return f"{who} {verb} out of {self.area} {through}: no PFs, attacks or counters."
            case "share":
                return f"{who} share CONTROL{where} {by}."
        return f"{who} become allies {by}."

    def said_by(self, nation: str) -> str:
        """Return the promise as one side says it, without its end: “you stay out of Austria”."""
        who = "we" if len(self.parties) == 2 else "I" if nation in self.parties else "you"
        whom = "each other" if who == "we" else "you" if who == "I" else "me"
        where = f" in {self.area}" if self.area else ""
        return {
            PEACE: f"{who} do not attack {whom}{where}",
            ATTACK: f"{who} attack {self.target}{where}",
            LEAVE: f"{who} stay out of {self.area}",
            SHARE: f"we share CONTROL{where}",
            ALLY: "we become allies",
        }[self.verb]


@dataclass(frozen=True)
class Ground:
    """The facts that terms are read against.

    They are names, the present turn and the last, and this game's verbs.
    """

    nations: tuple[str, ...]
    areas: tuple[str, ...]
    turn: int
    turns: int
    verbs: tuple[str, ...]

    @property
    def forms(self) -> tuple[str, ...]:
        return tuple(FORMS[verb] for verb in self.verbs)


def read(text: str, by: str, to: str, ground: Ground) -> tuple[Clause, ...]:
    """Return the promises in one nation's proposal to another. Raise `DealFault`."""
    parts = _split(text, by, to, ground)
    if not parts:
        raise DealFault(f"The proposal is empty. Write what you promise: {_forms(ground)}.")
    if len(parts) > MOST:
        raise DealFault(f"A deal has at most {MOST} promises. Make two deals.")
    clauses = tuple(dict.fromkeys(_clause(part, by, to, ground) for part in parts))
    for clause in clauses:
        same = [
            other for other in clauses if (other.verb, other.area) == (clause.verb, clause.area)
        ]
        if clause.verb in (PEACE, *TOGETHER) and len(same) > 1:
            raise DealFault(
                f"“{shorten(text)}” makes the same promise twice. Write each promise once."
            )
    return clauses


def last_turn(text: str) -> int:
    """Return the last turn of the promises in a text that `write` has made."""
    return max(int(turn) for turn in _WRITTEN.findall(text))


def write(clauses: Sequence[Clause]) -> str:
    """Return promises as one text, which `read` understands for the same two nations."""
    return "; ".join(clause.words() for clause in clauses)


def _split(text: str, by: str, to: str, ground: Ground) -> list[str]:
    """Split a text at semicolons and line ends, and at commas and “and” before a promise."""
    parts: list[str] = []
    last = 0
    text = text.strip().rstrip(".! ")
    for match in _PARTS.finditer(text):
        _, verb, _ = _begin(text[match.end() :], by, to, ground)
        if verb or match.group().strip() in (";", ""):
            parts.append(text[last : match.start()])
            last = match.end()
    return [part.strip() for part in [*parts, text[last:]] if part.strip()]


def _begin(text: str, by: str, to: str, ground: Ground) -> tuple[tuple[str, ...], str, str]:
    """Return who promises (() if it does not say), the verb ("" for none), and the rest."""
    parties_by_word = {"i": (by,), "we": (by, to), "both": (by, to), "you": (to,)}
    names = vocabulary(ground.nations, "nation")
    words = text.split()
    for length in range(min(4, len(words))):
        verb = _WORDS.get(words[length].casefold().rstrip("s") if length else words[0].casefold())
        if verb is None:
            continue
        if not length:
            return (), verb, " ".join(words[1:])
        typed = " ".join(words[:length])
        who = parties_by_word.get(typed.casefold())
        if who is None:
            try:
                name = names.find(typed)
            except NameFault:
                break
            if name not in (by, to):
                raise DealFault(
                    f"“{shorten(text)}”: {name} is not a party to this deal. Only {by} and {to} can"
                    " promise something in it."
                )
            who = (name,)
        return who, verb, " ".join(words[length + 1 :])
    return (), "", text


def _clause(text: str, by: str, to: str, ground: Ground) -> Clause:
    who, verb, rest = _begin(text, by, to, ground)
    if not verb:
        near = get_close_matches(fold(text).partition(" ")[0], list(_WORDS), n=1, cutoff=0.7)
        suggestion = f" Did you mean {near[0].upper()}?" if near else ""
        raise DealFault(f"“{shorten(text)}” is not a promise.{suggestion} Write {_forms(ground)}.")
    if verb not in ground.verbs:
        raise DealFault(
            f"“{shorten(text)}”: there is no such promise in this game. Write {_forms(ground)}."
        )
    rest, until = _split_until(rest, text, ground)
    areas = vocabulary(ground.areas, "area")
    nations = vocabulary(ground.nations, "nation")
    area = target = ""
    if verb == ATTACK:
        rest = re.sub(r"^attack\s+", "", rest, flags=re.I)
        whom, inside, where = _split_area(rest)
        if not inside:
            raise DealFault(f"“{shorten(text)}” does not say where. Write {FORMS[ATTACK]}.")
        target, area = (
            _name(whom, nations, text, FORMS[verb]),
            _name(where, areas, text, FORMS[verb]),
        )
        if target in (by, to):
            raise DealFault(
                f"“{shorten(text)}”: {by} and {to} can promise to attack another nation."
            )
    elif verb == ALLY:
        _check_partner(rest, by, to, nations, text)
    else:
        if verb == PEACE and (
            partner_match := re.match(r"with\s+(.+?)(?:\s+(in\s.*))?$", rest, re.I)
        ):
            _check_partner(partner_match[1], by, to, nations, text)
            rest = partner_match[2] or ""
        rest = re.sub(r"^(?:control\b\s*)?(?:(?:in|of)\b\s*)?", "", rest, flags=re.I)
        rest = re.sub(r"\s+alone$", "", rest, flags=re.I) if verb == LEAVE else rest
        rest = re.sub(r"\s+with\s+\S.*$", "", rest, flags=re.I) if verb == SHARE else rest
        everywhere = verb == PEACE and (not rest or fold(rest) == "everywhere")
        area = "" if everywhere else _name(rest, areas, text, FORMS[verb])
    if verb in TOGETHER:
        who = (by, to)
    return Clause(
        verb, (by, to), who or ((to,) if verb == LEAVE else (by, to)), until, area, target
    )


def _check_partner(typed: str, by: str, to: str, nations: Vocabulary, text: str) -> None:
    """Raise `DealFault` where a promise names a third nation: “with Russia”."""
    typed = re.sub(r"^with\s+", "", typed, flags=re.I)
    if not typed or typed.casefold() in ("me", "you", "us", "each other"):
        return
    if (other := _name(typed, nations, text, FORMS[ALLY])) not in (by, to):
        raise DealFault(f"“{shorten(text)}”: propose that to {other}; this deal is with {to}.")


def _split_area(rest: str) -> tuple[str, bool, str]:
    match = re.match(r"(?:(.*?)\s+)?in\s+(.*)$", rest, re.I)
    return (match[1] or "", True, match[2]) if match else (rest, False, "")


def _split_until(rest: str, text: str, ground: Ground) -> tuple[str, int]:
    """Return the text before UNTIL TURN n, and that turn; the present turn without one."""
    if match := _NEVER_ENDING.search(rest):
        return rest[: match.start()], ground.turns
    match = _UNTIL.search(rest)
    if match is None:
        return rest, ground.turn
    typed = match[1]
    turn = int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 4 else 0
    if not ground.turn <= turn <= ground.turns:
        raise DealFault(
            f"“{shorten(text)}”: a promise can last until turn {ground.turn}"
            + (f" to {ground.turns}" if ground.turn < ground.turns else "")
            + f", not “{shorten(typed)}”."
        )
    return rest[: match.start()], turn


def _name(typed: str, names: Vocabulary, text: str, form: str) -> str:
    if not typed.strip():
        raise DealFault(
            f"“{shorten(text)}”: the name of the {names.noun} is missing. Write {form}."
        )
    try:
        return names.find(typed.strip())
    except NameFault as fault:
        near = f" Did you mean {fault.near[0]}?" if fault.near and not fault.ambiguous else ""
        raise DealFault(f"“{shorten(text)}”: {fault}.{near}") from None


def _forms(ground: Ground) -> str:
    *first, last = ground.forms
    return f"{', '.join(first)} or {last}"
