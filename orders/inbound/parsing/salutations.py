"""Greetings, thanks and names: passed over where they cannot be an order."""

from __future__ import annotations

import re
from collections.abc import Collection
from difflib import get_close_matches

from games.rules.names import fold

from .normalize import COMMANDS

_LONGEST = 60
_GREETING = re.compile(
    r"(?:dear|hi|hello|hey|hallo|greetings|good (?:morning|afternoon|evening|day)|guten"
    r" (?:morgen|tag|abend)|moin|servus|liebe[rs]?"
    r"|sehr geehrte[rs]?"
    r"|bonjour|bonsoir|salut|ch(?:er|ère|ers)|hola|estimad[oa]|querid[oa]|buenos"
    r" días|buenas|ciao|buongiorno|buonasera|gentile|car[oa]"
    r"|beste|geachte|dag|hej"
    r"|hei|kära|kære|kjære|god (?:morgon|morgen|dag)|cześć|witam|dzień dobry|szanown[ya]|olá|oi|bom"
    r" dia|prezad[oa]|hyvä|moi|terve|привет"
    r"|здравствуйте"
    r"|добрый день|уважаем\w+|ahoj|dobrý den|vážen\w+)(?:[\s,!.:]|$)",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"(?:(?:with )?(?:(?:my |very |the )?(?:best|kind|kindest|warm|warmest|friendly)"
    r" )?(?:regards|wishes|greetings)|best|cheers|thanks"
    r"|thank you|thx|many thanks"
    r"|sincerely|yours|(?:all the best)|bye|ciao|take care|see you|mit"
    r" (?:freundlichen|besten|lieben|herzlichen) grü(?:ß|ss)en|(?:viele"
    r"|liebe|beste|schöne"
    r"|herzliche|freundliche) grü(?:ß|ss)e|gru(?:ß|ss)|grü(?:ß|ss)e|lg|vg|mfg|danke|vielen"
    r" dank|cordialement|bien à vous"
    r"|bien cordialement|amicalement"
    r"|salutations|merci|saludos|un saludo|atentamente|gracias|cordiali saluti|saluti|un"
    r" saluto|grazie|met vriendelijke groet(?:en)?"
    r"|groet(?:en|jes)?|mvg"
    r"|bedankt|(?:med )?vänlig(?:a)? hälsning(?:ar)?|hälsningar|mvh|tack|(?:med )?venlig"
    r" hilsen|(?:de )?bedste hilsner|hilsen|tak|takk"
    r"|(?:med )?vennlig hilsen"
    r"|pozdrawiam|z"
    r" poważaniem|dziękuję|atenciosamente|abraços|obrigad[oa]|cumprimentos|terveisin|ystävällisin"
    r" terveisin|kiitos"
    r"|с уважением|спасибо"
    r"|s pozdravem|děkuji|zdravím|br|kr|rgds)(?:[\s,!.:]|$)",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"(?:[^\W\d_]+[\s,]+){0,8}(?:orders?|befehle|ordres|órdenes|ordini)\b[^:]{0,50}:$",
    re.IGNORECASE,
)
_NAME = re.compile(r"[-–~/ ]*[^\W\d_][^\W\d_.'’-]*\.?(?:[ -][^\W\d_][^\W\d_.'’-]*\.?){0,3}[,.!]?$")
#: Words of the middle of an order: a line that begins with one is the rest of an order.
_INSIDE = ("STOCK", "ELSE", "MIN", "WITH", "HOME", "END")
_NO_WORDS = re.compile(r"[\W_]*$")


#: What may stand behind a greeting or thanks that are nothing else.
_FILLERS = frozenset(
    (
        "a",
        "lot",
        "very",
        "much",
        "and",
        "to",
        "all",
        "again",
        "you",
        "for",
        "now",
        "from",
        "the",
        "in",
        "advance",
        "there",
    )
)


def salutation_lines(
    lines: list[str], verbs: Collection[str], nations: Collection[str], free_text: bool = False
) -> set[int]:
    """The places of the lines that only greet, thank, name the sender, head the orders or draw a
    line. `lines` are plain.

    `free_text`: any other line may be an order in plain words. “Best hold Metz” thanks nobody then,
    and “Hold Metz” at the end is no name.
    """
    places: set[int] = set()
    speaking = [at for at, line in enumerate(lines) if line]
    closing_until = -1
    for order, at in enumerate(speaking):
        line = lines[at]
        if _NO_WORDS.match(line):
            places.add(at)
        elif len(line) > _LONGEST or _may_be_order(line, verbs):
            continue
        elif _HEADING.match(line) or _alone(_GREETING.match(line), line, free_text):
            places.add(at)
        elif _alone(_CLOSING.match(line), line, free_text):
            places.add(at)
            closing_until = order + 3
        elif (
            _NAME.match(line)
            and (order <= closing_until or (not free_text and _stands_alone(lines, at, speaking)))
            and not _near_to(line, verbs, nations)
        ):
            places.add(at)
    return places


def _alone(begun: re.Match[str] | None, line: str, free_text: bool) -> bool:
    """Return whether a line is a courtesy; with free text only names may follow it."""
    if begun is None or not free_text:
        return begun is not None
    rest = re.findall(r"[^\W\d_]+", line[begun.end() :])
    return len(rest) <= 3 and all(word[:1].isupper() or word.lower() in _FILLERS for word in rest)


def _may_be_order(line: str, verbs: Collection[str]) -> bool:
    return any(
        word.upper() in verbs
        for word in re.findall(r"[^\W\d_]+", line)
        if word.upper() not in ("FROM", "ALLY", "LEAVE")
    )


def _stands_alone(lines: list[str], at: int, speaking: list[int]) -> bool:
    """The last line that says something, with a blank one above it: where a name stands."""
    return at == speaking[-1] and at > 0 and not lines[at - 1]


def _near_to(line: str, verbs: Collection[str], nations: Collection[str]) -> bool:
    """Whether a name may be a misspelt order or command, or a nation: that is quoted back rather
    than passed over."""
    words = re.findall(r"[^\W\d_]+", line.upper())
    if fold(line.strip(" ,.!-~/")) in nations:
        return True
    return bool(words) and bool(
        get_close_matches(words[0], [*verbs, *COMMANDS, *_INSIDE], n=1, cutoff=0.75)
    )
