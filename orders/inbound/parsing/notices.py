"""Recognize notices that gateways and companies add to mail: warnings and disclaimers.

Their wording is different everywhere and changes, but they speak of the mail itself: that it comes
from outside, who may read it, what not to click. A line that speaks of two such things is one, as
two header labels make a quotation. Nothing a player writes about the game is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from games.rules.plain.sentences import says_more

from . import patterns
from .normalize import plain
from .suspects import Suspects

#: What notices speak of. A word counts if it begins like one of these.
_SUBJECTS = {
    "mail": (
        "e-mail|email|mail|message|nachricht|courriel|correo|mensaje|messaggio|mensagem|bericht"
        "|meddelande|meddelelse|melding|viesti|sähköposti|wiadomo|сообщени|письм|почт|zpráv|ileti"
        "|e-posta|メール|邮件|郵件|메일|μήνυμα"
    ),
    "sender": (
        "sender|originat|absender|expéditeur|remitente|mittente|remetente|afzender|avsändar"
        "|avsender|afsender|lähettäj|nadawc|отправител|odesílatel|gönderen|发件人|送信者|보낸"
    ),
    "outside": (
        "external|extern|outside|extérieur|außerhalb|ausserhalb|estern|zewnętrz|spoza|внешн|извне"
        "|ulkopuol|外部|외부|εξωτερικ"
    ),
    "organization": (
        "organi[sz]ation|organisasjon|company|unternehmen|entreprise|organizac|organizaç"
        "|organizzazion|empresa|azienda|organisaati|организац|компани|组织|組織|조직"
    ),
    "link": (
        "link|click|attachment|anhäng|anhang|anlage|klick|pièce|lien|cliqu|enlace|adjunto|allegat"
        "|bijlage|koppeling|klik|bilag|lenke|länk|bifogad|załącznik|ссылк|вложени|přílo|odkaz"
        "|liitte|链接|附件|リンク|添付|링크|첨부"
    ),
    "recipient": (
        "recipient|addressee|empfänger|destinatai|destinatari|geadresseerd|ontvanger|mottagar"
        "|mottaker|modtager|adresat|получател|адресат|příjemc|vastaanottaj|收件人|宛先"
    ),
    "secret": (
        "confidential|privileged|intended|disclos|disclaimer|vertraulich|bestimmt|confidentiel"
        "|confidencia|confidenzial|riservat|vertrouwelijk|bestemd|fortrolig|konfidentiel|avsedd"
        "|poufn|конфиденциальн|důvěrn|luottamuksell|gizli|机密|機密"
    ),
    "caution": (
        "caution|warning|attention|beware|careful|suspicious|phishing|spam|virus|malware|scanned"
        "|trust|safe|recogni[sz]e|verif|achtung|vorsicht|warnung|prudence|avertissement|atención"
        "|precaución|attenzione|atenção|cuidado|let op|opgelet|varning|advarsel|uwaga|ostrożn"
        "|внимани|осторожн|upozorněn|pozor|注意|警告|주의|προσοχή"
    ),
    "notice": "notice|hinweis|avis|aviso|avviso|disclaimer|legal|rechtlich|important|wichtig",
    "paper": "environment|umwelt|print|drucken|ausdruck|imprim|stampa|milieu|miljö|środowisk",
}
_SPEAKER = re.compile(r"\b(?:I|my|me)\b")
#: A notice tells its reader what to do “if you …”; a player's condition is about other things.
_CONDITION = re.compile(
    r"\b(?:if|unless|only|provided|ignore|disregard)\b(?! you\b)", re.IGNORECASE
)
#: A label alone: [EXTERNAL], *** EXTERNAL MAIL ***
_MOST_LABEL_WORDS = 3
_LABELS = {"outside", "secret"}
#: What makes a notice a disclaimer, which stands at the end of a message.
_DISCLAIMS = {"recipient", "secret", "paper"}
#: A mail program broke a line that is at least so long.
_BROKEN = 55
_SENTENCE_ENDS = tuple(".!?:;。！？")
_LONGEST = 2_000
_COMMANDS = (patterns.COMPLAIN, patterns.SET, patterns.PROPOSE)


class Notice(NamedTuple):
    """A notice: of how many lines, and whether it is a disclaimer."""

    size: int
    is_disclaimer: bool


def notice_at(lines: Sequence[str], at: int, suspects: Suspects) -> Notice | None:
    """Return the notice that begins at a line, or None.

    It has the lines of its paragraph that go on with it. Lines that look like orders, name a nation
    or an area, or speak of their writer are not part of one.
    """
    end = at
    while end < len(lines) and _may_belong(lines[end], suspects):
        if end > at and not _is_broken(lines[end - 1]):
            break
        end += 1
    block = " ".join(lines[at:end])
    subjects = _subjects_of(block)
    is_label = (
        len(block.split()) <= _MOST_LABEL_WORDS
        and not _LABELS.isdisjoint(subjects)
        and not says_more(block)  # “External draft”
    )
    if len(subjects) < (3 if _CONDITION.search(block) else 2) and not is_label:
        return None
    while end < len(lines) and _may_belong(lines[end], suspects) and _subjects_of(lines[end]):
        subjects |= _subjects_of(lines[end])
        end += 1
    return Notice(end - at, not _DISCLAIMS.isdisjoint(subjects))


def _may_belong(line: str, suspects: Suspects) -> bool:
    return not (
        not line.strip()
        or suspects.looks_meant(line)
        or suspects.names_card(line)
        or suspects.opens_letter(line)
        or _SPEAKER.search(line)
        or any(command.match(line.strip()) for command in _COMMANDS)
    )


def _is_broken(above: str) -> bool:
    """Return whether a program broke a line above this one."""
    text = above.rstrip()
    return len(text) >= _BROKEN and not text.endswith(_SENTENCE_ENDS)


def _subjects_of(text: str) -> set[str]:
    text = plain(text[:_LONGEST])
    return {subject for subject, words in _patterns().items() if words.search(text)}


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """Return a pattern for each subject. Some scripts do not separate words."""
    patterns_by_subject = {}
    for subject, stems in _SUBJECTS.items():
        separated = [stem for stem in stems.split("|") if stem < "\u2e80"]
        others = [stem for stem in stems.split("|") if stem >= "\u2e80"]
        forms = [rf"(?<![^\W\d_])(?:{'|'.join(separated)})", *others]
        patterns_by_subject[subject] = re.compile("|".join(forms), re.IGNORECASE)
    return patterns_by_subject
