"""Find greetings, thanks and names, which are skipped if they cannot be an order."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from difflib import get_close_matches

from games.rules.names import fold
from games.rules.plain.sentences import ends_sentence, is_name, says_more
from games.rules.plain.words import NUMBERS

from .normalize import COMMANDS, everyday_heads, words_inside_orders
from .patterns import LIST

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
#: “Here are my orders:”; what says more about them (“Old orders:”) is for the order parser.
_HEADING = re.compile(
    r"(?:(?:here|are|these|my|our|the|hier|sind|meine|unsere|die|voici|mes|nos|les|aquí|están|mis"
    r"|nuestras|las|ecco|i|miei|nostri|gli)\s+){0,4}"
    r"(?:orders?|befehle|ordres|órdenes|ordini)\s*:$",
    re.IGNORECASE,
)
_NAME = re.compile(r"[-–~/ ]*[^\W\d_][^\W\d_.'’-]*\.?(?:[ -][^\W\d_][^\W\d_.'’-]*\.?){0,3}[,.!]?$")
_NUMBER = re.compile(rf"\d|\b(?:{'|'.join(NUMBERS)})\b", re.IGNORECASE)
_NO_WORDS = re.compile(r"[\W_]*$")


#: A name, a comma or an exclamation mark, and a few words without a number.
_VOCATIVE = re.compile(
    r"@?(?P<name>[^\W\d_]+(?:[ .'’-]+[^\W\d_]+){0,2}) ?[,!]+ ?(?P<rest>\D{0,40})$"
)


_THANKS = re.compile(
    r"(?:many thanks|thanks|thank you|thx|danke|vielen dank|merci|gracias|grazie|bedankt|tack|takk?"
    r"|dziękuję|obrigad[oa]|kiitos|спасибо|děkuji)\b",
    re.IGNORECASE,
)


#: Words that may follow a greeting or thanks without making it anything else.
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
    lines: list[str],
    verbs: Collection[str],
    nations: Collection[str],
    is_near: Callable[[str], bool],
    writer: str,
    free_text: bool = False,
) -> set[int]:
    """Return the indexes of lines that are only a courtesy, a name, a heading or a rule.

    `lines` are normalized. `is_near` says whether one may be meant as an order: “Rest to Austria”.
    What says more of the orders, such as “Thanks, but only if France agrees”, is for their parser.
    `writer` has the names with which the sender may sign right below orders. `free_text`: any other
    line may be an order in plain words. Then “Best hold Metz” is no thanks, and “Hold Metz” at the
    end is no name.
    """
    names = set(_words(writer))
    places: set[int] = set()
    nonblank = [index for index, line in enumerate(lines) if line]
    closing_until = -1
    for rank, index in enumerate(nonblank):
        line = lines[index]
        if _NO_WORDS.match(line):
            places.add(index)
        elif len(line) > _LONGEST or _may_be_order(line, verbs):
            continue
        elif _HEADING.match(line) or _is_courtesy(_GREETING.match(line), line, is_near, free_text):
            places.add(index)
        elif _is_courtesy(_CLOSING.match(line), line, is_near, free_text):
            places.add(index)
            closing_until = rank + 3
        elif (
            _NAME.match(line)
            and (
                names.issuperset(_words(line))
                or (
                    rank <= closing_until
                    and not ends_sentence(line)
                    and not (len(LIST.split(line)) > 1 and is_near(line))  # Russia and France
                )
                or (
                    not free_text
                    and _stands_alone(lines, index, nonblank)
                    and (is_name(line) or (line.isalpha() and line.istitle()))
                    and not is_near(line)
                )
            )
            and not _may_be_order_or_nation(line, verbs, nations)
            and (free_text or names.issuperset(_words(line)) or not says_more(line))
        ):
            places.add(index)
    return places


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text.casefold())


def greeted(line: str) -> list[str]:
    """Return the names that a normalized line greets: “Hello Russia,”, “Dear Felix and Rosa”."""
    begun = _GREETING.match(line)
    if begun is None:
        return []
    parts = (part.strip(" .!?-–~") for part in LIST.split(line[begun.end() - 1 :]))
    return [name for part in parts if (name := part.removeprefix("the "))]


def addressed(line: str) -> tuple[list[str], bool]:
    """Return whom a line without a greeting speaks to (“Rosa, my dear!”), and if it says no more.

    Nobody, where the line may say how many: “Russia, 5”.
    """
    match = _VOCATIVE.match(line)
    return (LIST.split(match["name"]), not match["rest"]) if match else ([], False)


def is_thanks(line: str) -> bool:
    """Return whether a courtesy is thanks, or a sign such as a thumbs-up."""
    return _THANKS.match(line) is not None or (bool(line) and _NO_WORDS.match(line) is not None)


def _is_courtesy(
    begun: re.Match[str] | None, line: str, is_near: Callable[[str], bool], free_text: bool
) -> bool:
    """Return whether a line is a courtesy and says nothing of the orders.

    With free text, and where it may be meant as an order, only names may follow the courtesy.
    """
    if begun is None or (not free_text and says_more(line)):
        return False
    words = re.findall(r"[^\W\d_]+", line[begun.end() :])
    only_names = len(words) <= 3 and all(
        word[:1].isupper() or word.lower() in _FILLERS for word in words
    )
    return only_names or not (free_text or is_near(line))


def _may_be_order(line: str, verbs: Collection[str]) -> bool:
    """Return whether a line contains an order's verb or a number: “Hi, 5 to Poland”."""
    if not _HEADING.match(line) and _NUMBER.search(line):
        return True
    everyday = everyday_heads()
    return any(
        word.upper() in verbs
        for word in re.findall(r"[^\W\d_]+", line)
        if word.upper() not in everyday
    )


def _stands_alone(lines: list[str], at: int, speaking: list[int]) -> bool:
    """Return whether this is the last nonblank line, below a blank one.

    Names are usually there.
    """
    return at == speaking[-1] and at > 0 and not lines[at - 1]


def _may_be_order_or_nation(line: str, verbs: Collection[str], nations: Collection[str]) -> bool:
    """Return whether a name may be a nation or a misspelled order or command.

    Such a line is quoted back and not skipped.
    """
    words = re.findall(r"[^\W\d_]+", line.upper())
    if fold(line.strip(" ,.!-~/")) in nations:
        return True
    known = [*verbs, *COMMANDS, *words_inside_orders(), "END"]
    return bool(words) and bool(get_close_matches(words[0], known, n=1, cutoff=0.75))
