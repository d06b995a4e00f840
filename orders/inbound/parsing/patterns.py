"""The forms in which commands of a message can be written."""

from __future__ import annotations

import re

from games.rules.vote_kinds import KINDS

REPLY_SUBJECT = re.compile(
    r"\s*(?:re|fwd?|aw|wg|antw|antwort|sv|vs|rv|tr|ref|res|enc|i|r|vb|odp|pd|doorst|rif|re\s?\[\d+\])\s*[:：]",
    re.IGNORECASE,
)
ANSWER_SUBJECT = re.compile(
    r"(?:\s*(?:re|aw|antw|antwort|sv|rv|r|odp|rif)\s*[:：])+\s*", re.IGNORECASE
)
BULLET = re.compile(r"(?:[-*+•·▪◦‣]+|\(?\d{1,2}[.)]|\(?[a-z][.)])\s*(?=\S)", re.IGNORECASE)
SIMPLE: dict[str, tuple[str, ...]] = {
    "final": ("final", "finalise", "finalize", "orders final"),
    "not final": ("not final", "unfinal", "orders not final", "not yet final"),
    "cancel": ("cancel", "cancel orders", "cancel my orders", "cancel all", "cancel all orders"),
    "yes": ("yes", "yes send", "yes send them", "yes send these", "yes send it"),
    "orders": ("orders", "my orders", "orders in force"),
    "board": ("board",),
    "status": ("status",),
    "deadline": ("deadline", "deadlines"),
    "help": ("help",),
    "proof": ("proof", "send proof"),
    "rules": ("send rules", "rules"),
    "scenario": ("send scenario", "scenario"),
    "settings": ("settings", "my settings"),
    "deals": ("deals", "my deals"),
    "mute": ("mute", "unsubscribe"),
    "unmute": ("unmute",),
    "end": ("end", "end press"),
    "below": (
        "report below",
        "the report below",
        "report as below",
        "report as edited below",
    ),
}
MEANING = {form: meaning for meaning, forms in SIMPLE.items() for form in forms}
HISTORY = re.compile(r"history(?:\s+(?:of\s+)?(?:turn\s+)?(\d{1,4}))?$", re.IGNORECASE)
ADOPT = re.compile(r"adopt\s+(?:proposal\s+)?(?:no\.?\s*)?(\d{1,6})$", re.IGNORECASE)
#: VOTE DRAW and the like, by kind.
VOTE = {
    key: re.compile(
        r"vote\s+(?:(?:for|on|to)\s+)?(?P<no>(?:no|not|against)\s+)?(?:(?:for|on|to)\s+)?"
        rf"(?:an?\s+)?{kind.pattern}$",
        re.IGNORECASE,
    )
    for key, kind in KINDS.items()
}
PROPOSE = re.compile(
    r"(?:propose\s+(?:a\s+deal\s+)?(?:to\s+)?(?P<to>[^\W\d_][^:]{0,40}?)"
    r"|counter(?:\s+(?:deal|proposal))?\s+(?:no\.?\s*)?(?P<n>\d{1,6}))\s*:\s*(?P<terms>.*)$",
    re.IGNORECASE,
)
ANSWER_DEAL = re.compile(
    r"(?P<verb>accept|decline|reject|refuse|withdraw)(?:\s+(?:deal|proposal|offer))?"
    r"(?:\s+(?:no\.?\s*)?(?P<n>\d{1,6}))?$",
    re.IGNORECASE,
)
DEAL_WORDS = re.compile(r"(?:propose|counter|accept|decline|withdraw)\b", re.IGNORECASE)
DEAL_FORMS = "PROPOSE Germany: PEACE Poland, COUNTER 3: PEACE Poland, ACCEPT 3 or DECLINE 3"
COMPLAIN = re.compile(
    r"(?:(?P<block>block(?:\s+(?:this\s+)?(?:player|sender|writer))?)"
    r"|report\s+(?:this\s+)?(?:letter|message)(?:\s*:\s*(?P<why>.*))?)[.!]?$",
    re.IGNORECASE,
)
SET = re.compile(r"set\s+(\S.*)", re.IGNORECASE)
OPENS = re.compile(
    r"(?:(?P<grey>grey|gray|unsigned|anonymous)\s+)?(?:(?P<press>press|letter(?=\s+to\s+all\s*(?::|\.?$)))\s+to\b\s*:?\s*(?P<to>.*)|(?P<word>broadcast|question|reply|team)"
    r"(?:\s+(?P<unsigned>unsigned|grey|gray|anonymous))?\s*(?::\s*(?P<body>.*))?|answer\s+(?:to\s+)?(?:question\s+)?(?:no\.?\s*)?(?P<n>\d{1,6})"
    r"\s*(?::\s*(?P<answer>.*))?)$",
    re.IGNORECASE,
)
UNSIGNED = re.compile(r"[\s,(]+(?:unsigned|grey|gray|anonymous)\)?$", re.IGNORECASE)
LIST = re.compile(r"\s*(?:[,;&+/]|\band\b|\bund\b|\bet\b)\s*", re.IGNORECASE)
SWITCH = re.compile(
    r"(?:orders\s+)?(as|for)\s+([^\W\d_]+(?:[ -][^\W\d_]+){0,2})\s*(:?)$", re.IGNORECASE
)
CONDITION = re.compile(
    r"\b(?:if|unless|only|when|until|till|before|after|provided|but|except|instead|otherwise|not|no"
    r"|don't|else)\b",
    re.IGNORECASE,
)
#: A line that begins, or follows one that ends, with one of these continues an order broken by a
#: mail program.
GOES_ON = re.compile(r"(?:[,:/]|\b(?:stock|else|min|with)\b)", re.IGNORECASE)
BROKEN_OFF = re.compile(r"(?:[,:/]|\b(?:stock|else|min|with))$", re.IGNORECASE)
#: A heading with a phase: TURN 3 ATTACKS.
PHASE = re.compile(
    r"turn\s+(\d{1,3})(?:\s*[,:-]?\s+([^\W\d_]+(?:[ -][^\W\d_]+){0,5}))?\s*:?$", re.IGNORECASE
)
NO_NATIONS = (
    "turn",
    "now",
    "this",
    "the",
    "you",
    "me",
    "promised",
    "usual",
    "before",
    "always",
    "discussed",
    "agreed",
    "follows",
    "my",
)
