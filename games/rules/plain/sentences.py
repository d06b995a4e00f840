"""What a sentence without orders says of the orders beside it.

It speaks of them, or names what it is about, or leaves that open.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise, takewhile

from .tokens import tokens
from .typography import tidy
from .words import (
    ALIASES,
    COMPANIES,
    DENIALS,
    DOUBTS,
    KINDS,
    LINE_WORDS,
    NOT_NAMES,
    NUMBERS,
    SILENT,
    Phrase,
)

#: Marks that may stand around a heading: “[Felix:]”, “*Old:*”.
AROUND = " )]}*_"
#: How much of a line is searched for the words here.
_MOST_CHARACTERS = 300
_LONGEST = max(len(phrase) for phrases in (*LINE_WORDS.values(), KINDS) for phrase in phrases)
_GRAMMAR = frozenset(KINDS)
#: Kinds beside a denial with which it is about the orders; “no more” and “nothing else” are not.
_TELLING = ("MORE", "THANKS", "HELLO", "UNIT", "HEAD")
_EMPTY = frozenset((*SILENT, "IN", "SEP", "TO", "WITH")).difference(_TELLING)
_WRITER = frozenset(("i", "we"))
#: “this” and “them”, not “orders”.
_POINTING = frozenset(phrase for phrase in LINE_WORDS["refers"] if KINDS.get(phrase) != "HEAD")
_ORDERS = LINE_WORDS["refers"] - _POINTING
_COMPANIES = frozenset(map(str.casefold, (*COMPANIES, *COMPANIES.values(), *ALIASES)))
#: With these a line asks its reader, and makes no condition for orders.
_IF_YOU = frozenset((("if", "you"), ("in", "case", "you")))
#: “Only the brave.” with its author behind it, or none.
_QUOTED = re.compile(r'"([^"]{12,})"(?:\W{0,4}[^"]{0,40})?$')
#: What stands for something said before.
_ANAPHORS = frozenset((("it",), ("they",), ("them",), ("these",), ("those",), ("ones",)))
#: With these the writer tells what they are yet to do: “I'll”, “want to”, “shall”.
_TO_COME = frozenset(
    phrase
    for phrase, kind in KINDS.items()
    if kind in ("WE_WILL", "WE_WISH", "WISH") or phrase in (("will",), ("shall",))
)
_DENYING = frozenset(phrase for phrase, kind in KINDS.items() if kind in DENIALS)
_THANKS = frozenset(phrase for phrase, kind in KINDS.items() if kind == "THANKS")
#: The end of a sentence; an initial has a period, too.
_ENDED = re.compile(r"(?:[!?…。]|(?<!\b[A-Z])\.)[\s)*_]*$")
_NAME = re.compile(r"[-–~ ]*(?:[^\W\d_]|[-.'’, ])+")
#: “This is a test”: only what it stands beside can be meant.
_PRESENTS = (("this", "is"), ("these", "are"))


def words_of(text: str) -> tuple[str, ...]:
    return tuple(token.folded for token in tokens(tidy(text[:_MOST_CHARACTERS])))


def spoken(words: Sequence[str]) -> list[str]:
    return [word for word in words if word[0].isalnum()]


def speaks(words: Sequence[str]) -> bool:
    """Return whether the words of a line that is no order speak of orders.

    “Swap them” does, and “Do not use these yet”, which denies something of what it points to;
    “Thanks for the update” does not.
    """
    if _thanks_for_something(words):
        return False
    return _speaks_of_orders(words) or has(words, LINE_WORDS["conditions"])


def _speaks_of_orders(words: Sequence[str]) -> bool:
    denies = has(words, _DENYING) and has(words, LINE_WORDS["refers"])
    speaks = denies or _presents(words) or _asks_about(words)
    return speaks or has(words, LINE_WORDS["speaks"])


def asks_to_be_told(words: Sequence[str]) -> bool:
    """Return whether a line asks its reader for word, and makes no condition of that.

    “If you have any questions, call me” and “Don't hesitate to tell us if you need more” do. “Send
    this for me if you agree” points to the orders.
    """
    asks = has(words, _IF_YOU) and _is_to_writer(words)
    return asks and not (points_back(words) or _speaks_of_orders(words))


def _is_to_writer(words: Sequence[str]) -> bool:
    """Return whether a line asks for something to be done to its writer: “Call me”."""
    return any(
        word in ("me", "us") and before not in ("for", "from") for before, word in pairwise(words)
    )


def is_quotation(text: str) -> bool:
    """Return whether a line is a whole sentence in quotation marks that speaks of no orders.

    `text` has the quotation marks of a keyboard. What begins with a condition needs more than it.
    """
    if (match := _QUOTED.match(text.strip())) is None:
        return False
    words = words_of(match[1])
    is_whole = not begins_with_condition(match[1]) or "," in words
    return is_whole and not (points_back(words) or _speaks_of_orders(words))


def says_more(text: str) -> bool:
    """Return whether a line that begins like a courtesy says more than that.

    It speaks of orders, has a condition, a choice or a denial, or leaves something to others.
    """
    words = words_of(text)
    limits = is_clause(words) or leaves_undecided(words)
    return has(words, _DENYING) or speaks(words) or limits


def is_mere_courtesy(text: str) -> bool:
    """Return whether a sentence is a courtesy without another word: “Bye!”, and not “Good?”."""
    words = words_of(text)
    return tuple(spoken(words)) in LINE_WORDS["courtesy"] and words[-1] != "?"


def takes_back(text: str) -> bool:
    """Return whether a line of free text corrects, withdraws or postpones other lines."""
    words = words_of(text)
    if _thanks_for_something(words):
        return False
    return only_doubts(words) or _speaks_of_orders(words)


def is_of_orders(text: str) -> bool:
    """Return whether a line corrects or withdraws orders, or names them: “Can I change my orders?”.

    It may stand alone, far from the orders that it is about.
    """
    return takes_back(text) or names_orders(words_of(text))


def orders_nothing(text: str) -> bool:
    """Return whether a line has no words but of one who orders nothing: “Nothing from me.”

    “No” and “No, thanks” may answer anything.
    """
    words = [word for word in words_of(text) if word[0].isalnum()]
    kinds, at = [], 0
    while at < len(words):
        phrase = phrase_at(words, at, _GRAMMAR)
        kinds.append(KINDS[phrase] if phrase else "")
        at += len(phrase) if phrase else 1
    says = set(kinds)
    ordering = says & {"ATTACK", "PLACE", "TAKE", "WE", "WE_WILL", "WE_WISH", "FOR_ME", "HEAD"}
    return "NOT" in says and bool(ordering) and says <= {"NOT", "ATTACK", "PLACE", "TAKE", *SILENT}


def names_orders(words: Sequence[str]) -> bool:
    """Return whether a line has a word for orders: “Preliminary orders”."""
    return has(words, _ORDERS)


def may_take_back(text: str, names: Collection[str]) -> bool:
    """Return whether a paragraph of free text points to what is above it, or denies: “Call it off”.

    What names a place or number is about that. `names` are of powers, and no places: “Not Italy.
    France!”.
    """
    words = words_of(text)
    others = set(re.findall(r"(?<!^)\b[A-Z]\w*|\d", text)).difference(names)
    points = points_back(words) or has(words, _DENYING)
    return points and not (others or names_something(words))


def heads_others(text: str) -> bool:
    """Return whether a line is a heading that says more than that orders follow: “You wrote:”."""
    words = spoken(words_of(text))
    known = all(KINDS.get((word,)) in (*SILENT, "IN") for word in words)
    return text.rstrip(AROUND).endswith(":") and not known


def begins_with_condition(text: str) -> bool:
    """Return whether a line begins with a condition or a choice: “if Italy does”.

    “When is the deadline?” does not.
    """
    words = words_of(text)
    begun = phrase_at(words, 0, _GRAMMAR)
    return begun is not None and KINDS[begun] in ("IF", "OR") and words[-1] != "?"


def is_clause(words: Sequence[str]) -> bool:
    """Return whether a line is a clause that goes with another one, or comes after something.

    “When Felix is back”, “But only after the talks” and “Ask Felix first” do; “When Felix is back,
    we meet” and “When do we meet?” do not.
    """
    said = spoken(words)
    if not said or words[-1:] == ("?",):
        return False
    denials = takewhile(lambda word: KINDS.get((word,)) in DENIALS, said)
    firsts = range(1 + len(tuple(denials)))
    begins = "," not in words and any(phrase_at(said, at, LINE_WORDS["clauses"]) for at in firsts)
    return begins or (len(said) > 2 and said[-1] == "first")


def leaves_undecided(words: Sequence[str]) -> bool:
    """Return whether a line leaves something to others than its writer, or to a later word.

    “Felix has to agree”, “Felix decides” and “I'll confirm tonight” do. “You must see the new film”
    says what it is about, “I have to run” is about its writer, and “Anna May” is one. “You can call
    me” and “Can you meet me?” ask its reader.
    """
    said = spoken(words)
    return _is_left_to_others(words, said) or _will_decide(said)


def _is_left_to_others(words: Sequence[str], said: Sequence[str]) -> bool:
    last = len(said) - 1
    decided = (at for at in range(1, last + 1) if _is_undecided(said, at, is_last=at == last))
    at = next(decided, 0)
    subject = {word.partition("'")[0] for word in said[:at] if KINDS.get((word,)) != "PLEASE"}
    asks = (
        words[-1:] == ("?",)
        or ("you" in subject and _is_to_writer(words))
        or (said[1:2] == ["you"] and (said[0],) in LINE_WORDS["undecided"])
    )
    is_of_others = bool(subject) and not asks and _WRITER.isdisjoint(subject)
    return is_of_others and not names_something(said[at:])


def _is_undecided(said: Sequence[str], at: int, *, is_last: bool) -> bool:
    """Return whether a word there is one of deciding, or tells what a person must or may do."""
    modal = not is_last and phrase_at(said, at, LINE_WORDS["undecided"])
    return bool(modal or phrase_at(said, at, LINE_WORDS["deciding"]))


def _will_decide(said: Sequence[str]) -> bool:
    """Return whether the writer is yet to decide or confirm something that is not named.

    “Could you please confirm receipt” asks the reader to.
    """
    inner = range(1, len(said))
    at = next((at for at in inner if phrase_at(said, at, LINE_WORDS["deciding"])), 0)
    before = said[:at]
    is_to_come = has(before, LINE_WORDS["undecided"]) or has(before, _TO_COME)
    return is_to_come and "you" not in before and not names_something(said[at:])


def points_back(words: Sequence[str]) -> bool:
    """Return whether a sentence has a word that stands for something said before it.

    “Call it off”, “Keep this for later”, “Drop the first” and “Not the attack” do; “Talk soon” and
    “This winter is cold” do not.
    """
    return _stands_for_all(words) or any(
        ((word,) in _POINTING and not (_is_noun(after) and not _is_auxiliary(after)))
        or ((word,) in LINE_WORDS["determiners"] and _is_said_before(after))
        for word, after in pairwise((*words, "."))
    )


def _stands_for_all(words: Sequence[str]) -> bool:
    """Return whether “it”, or “this” at an end, leaves open what the sentence is about."""
    if (words[:1] and (words[0],) in LINE_WORDS["stands_for"]) or has(words, _ANAPHORS):
        return True
    pairs = pairwise((*words, "."))  # “My brother typed this”
    return any((word,) in _POINTING and not after[0].isalnum() for word, after in pairs)


def _is_noun(word: str) -> bool:
    return word[0].isalpha() and KINDS.get((word,), "UNIT") == "UNIT"


def _is_auxiliary(word: str) -> bool:
    return (word,) in LINE_WORDS["auxiliaries"]


def _is_said_before(word: str) -> bool:
    """Return whether a noun is one of the orders: “the first”, “the rest”, “the numbers”."""
    phrase = (word,)
    return phrase in LINE_WORDS["ordinals"] or KINDS.get(phrase) in ("ATTACK", "HEAD", "REST")


def names_something(words: Sequence[str]) -> bool:
    """Return whether a sentence has a determiner with a word that stands for nothing said before.

    “A test” near its beginning is what something else is called, and what “the numbers” at its
    beginning are is said of the orders.
    """
    words = [word for word in words if KINDS.get((word,)) != "NEW"]  # the new house
    if _stands_for_all(words):
        return False
    named = [
        _is_noun(noun) and not (_is_empty(noun) or (noun,) in LINE_WORDS["ordinals"])
        for at, (word, noun) in enumerate(pairwise(words))
        if (word,) in LINE_WORDS["determiners"] and (at > 1 or word not in ("a", "an"))
    ]
    begins = words[:1] and (words[0],) in LINE_WORDS["determiners"]
    return named[:1] == [True] if begins else any(named)


def only_doubts(words: Sequence[str], ordered: Collection[str] = ()) -> bool:
    """Return whether a line is a denial or doubt that says of nothing what it is about.

    “No!”, “Don't do it.”, “OK?” and “Only at 3-1” can only be about the orders, as “Do not attack”
    is where the text attacks. “No hurry” and “Nothing more” are not.
    """
    at, doubts = 0, False
    while at < len(words):
        phrase = phrase_at(words, at, _GRAMMAR)
        kind = KINDS.get(phrase or (words[at],), "")
        doubts = doubts or kind in DOUBTS
        if not (kind in DOUBTS or kind in _EMPTY or kind in ordered or _is_empty(words[at])):
            return False
        at += len(phrase) if phrase else 1
    return doubts


def stands_for_nothing(word: str) -> bool:
    """Return whether a word, without capitals, names nothing by itself: “there”, “last”, “is”."""
    return _is_empty(word) or (word,) in LINE_WORDS["ordinals"] or (word,) in LINE_WORDS["speaks"]


def _is_empty(word: str) -> bool:
    """Return whether a word says nothing by itself: a mark, a figure, or “it”."""
    phrase = (word,)
    return (
        not word[0].isalpha()
        or word in NOT_NAMES
        or word in NUMBERS
        or phrase in LINE_WORDS["points"]
        or phrase in LINE_WORDS["refers"]
        or phrase in LINE_WORDS["before"]
    )


def _presents(words: Sequence[str]) -> bool:
    """Return whether a clause says what something is that it does not name: “this is a test”."""
    return any(
        pair in _PRESENTS and not (at and words[at - 1][0].isalnum())
        for at, pair in enumerate(pairwise(words))
    )


def _asks_about(words: Sequence[str]) -> bool:
    """Return whether a line asks about the orders: “Does that work?”, “Can I do this?”.

    “This” stands for them where it is not the beginning of a name: “Is this the address?”. What
    comes before a colon or comma is not part of the question: “Another thing: is this legal?”.
    """
    begins = max((at + 1 for at, word in enumerate(words) if word in (":", ",", ";")), default=0)
    said = spoken(words[begins:])
    if words[-1:] != ("?",) or not said:
        return False
    return (said[-1],) in _POINTING or (len(said) == 3 and (said[1],) in _POINTING)


def _thanks_for_something(words: Sequence[str]) -> bool:
    """Return whether a line is thanks for something, in one part."""
    begun = phrase_at(words, 0, _THANKS)
    goes_on = begun is not None and words[len(begun) : len(begun) + 1] == ("for",)
    return goes_on and not has(words, _DENYING) and "," not in words


def is_name(text: str) -> bool:
    """Return whether words are written like a name: “Gustav von Maier” or “G.”, not “TBC”.

    One word alone may be anything: “Postponed”.
    """
    words = re.findall(r"[^\W\d_]+", text)
    is_initial = max(map(len, words), default=0) == 1
    capitals = len(words) > 1 and words[0][0].isupper() and words[-1][0].isupper()
    is_written_so = (is_initial or (capitals and not text.isupper())) and not is_company(text)
    return is_written_so and _NAME.fullmatch(text) is not None and not ends_sentence(text)


def is_company(text: str) -> bool:
    """Return whether a line is the name or symbol of a company, whose stock it may name."""
    return text.strip(" .,!").casefold() in _COMPANIES


def ends_sentence(text: str) -> bool:
    """Return whether a line ends a sentence, which a name or a heading does not."""
    return _ENDED.search(text) is not None


def has(words: Sequence[str], phrases: Collection[Phrase]) -> bool:
    return any(phrase_at(words, at, phrases) for at in range(len(words)))


def phrase_at(words: Sequence[str], at: int, phrases: Collection[Phrase]) -> Phrase | None:
    """Return the longest of the phrases that begins there."""
    for length in range(min(_LONGEST, len(words) - at), 0, -1):
        if (phrase := tuple(words[at : at + length])) in phrases:
            return phrase
    return None
