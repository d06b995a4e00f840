"""Recognize the first lines of quoted letters, in the languages of players, and footers.

Footers are those of mail programs and phones.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import takewhile

from games.rules.plain.sentences import says_more

from .normalize import looks_like_order

_VERB = re.compile(
    r"\b(?:wrote|writes|schrieb|schreibt|geschrieben|a [ée]crit|[ée]crit|escribi[óo]|escribe|ha"
    r" scritto|scrive|schreef|geschreven|skrev"
    r"|skrifaði|pisze"
    r"|napisał(?:\(a\)|a)?|nadesłał|escreveu|escreve|kirjoitti|написал(?:\(а\)|а)?|пишет|писал(?:\(а\)|а)?|пише|написав|napsal(?:\(a\)|a)?"
    r"|napísal(?:\(a\)|a)?|a scris|írta|yazdı|έγραψε|написа|je napisa[ol]|rašė|kirjutas|va"
    r" escriure)(?!\w)"
    r"|写道|寫道|のメール|書きました|님이 작성",
    re.IGNORECASE,
)
_STARTS = re.compile(
    r"\s*(?:On|Am|Le|El|Il|Op|Den|På|Em|No dia|A|W dniu|Dnia|Dne|Dňa|Il giorno|Ter|Seg|În|Pe data"
    r" de|Στις|Tarihinde|Quoting|At)\s+\S",
    re.IGNORECASE,
)
_MAYBE_STARTS = re.compile(
    r"\s*(?:\d|<?\S+@\S+|[^\W\d_]{2,3}[.,]?\s+\d|[^\W\d_]{2,12},?\s+\d{1,2}[.\s]|\"|“|['*_]*[^\W\d_]+"
    r" [^\n]*<\S+@)"
)
_DIGITS = re.compile(r"\d{4}|\d{1,2}[:.h]\d{2}|\d{1,2}\s?[./-]\s?\d{1,2}")
_MAIL = re.compile(r"\S@\S")
_NAMED = re.compile(r"<\S+@\S+>\s*[:：]\W*$")
_COLON = re.compile(r"[:：]\s*[*_]*\s*$")
_LONGEST = 600
_DASHES = r"[\s*_\-‐‑–—=~]"
_SEPARATOR = re.compile(
    rf"{_DASHES}{{2,}}\s?(?:original(?:e|nachricht)?[\s-]?(?:message|nachricht|appointment|meddelande)?|message"
    r" (?:d'|d’)?origin(?:e|al)"
    rf"|messaggio originale"
    r"|mensaje original|mensagem original|mensagem encaminhada|oorspronkelijk bericht|originele"
    r" bericht|ursprüngliche (?:nachricht|mail)"
    r"|ursprungligt meddelande|originalmeddelande|oprindelig (?:meddelelse|besked)|opprinnelig"
    r" melding|alkuperäinen viesti"
    r"|wiadomość oryginalna"
    r"|oryginalna wiadomość|исходное сообщение|исходное письмо|пересылаемое сообщение|původní"
    r" (?:zpráva|e-mail)|eredeti üzenet"
    r"|mesaj original"
    r"|forwarded (?:message|mail|by .{1,80})|weitergeleitete (?:nachricht|mail)|message"
    r" transféré|mensaje reenviado|messaggio inoltrato"
    r"|doorgestuurd bericht|vidarebefordrat (?:meddelande|brev)|videresendt"
    r" (?:meddelelse|melding)|wiadomość przekazana|přeposlaná zpráva"
    rf"|reply (?:message|to)|replied message|reply above this line|quoted"
    rf" (?:message|text)|原始邮件|转发邮件|元のメッセージ"
    rf"|original message).{{0,60}}{_DASHES}{{2,}}$",
    re.IGNORECASE,
)
_BARE_SEPARATOR = re.compile(
    r"\s*(?:begin forwarded message|start of forwarded message|anfang der weitergeleiteten"
    r" (?:nachricht|e-mail)"
    r"|début du message (?:réexpédié|transféré)"
    r"|inicio del mensaje reenviado|inizio messaggio inoltrato|begin doorgestuurd"
    r" bericht|vidarebefordrat brev|inicio da mensagem"
    r"|-{2,}\s?[^\n]{1,150}\b(?:wrote|schrieb|a écrit|escribió|ha scritto)\s?-{2,}"
    r"|(?:von meinem .{1,30} )?weitergeleitete nachricht|original message|ursprüngliche"
    r" nachricht)\s*[:：]?\s*$",
    re.IGNORECASE,
)
#: Header labels above a quoted letter by meaning, so that two different ones can be required.
_LABELS = {
    "from": (
        "from|von|de|da|van|från|fra|od|lähettäjä|от|от"
        " кого|expéditeur|remitente|mittente|afzender|差出人|发件人|보낸 사람|feladó|kimden"
    ),
    "sent": (
        "sent|date|gesendet|datum|envoyé|envoyé le|date d'envoi|enviado|enviado el|enviada"
        " em|enviada|fecha|data|inviato|verzonden|skickat|skickades|sendt|dato|sent"
        " at|wysłano|lähetetty|päiväys|отправлено|дата|odesláno|送信日時|发送时间|보낸"
        " 날짜|elküldve|tarih"
    ),
    "to": (
        "to|an|à|a|para|aan|till|til|do|vastaanottaja|кому|komu|destinataire|destinatario|per|宛先|收件人|받는"
        " 사람|címzett"
    ),
    "subject": (
        "subject|re|betreff|betr|thema|objet|asunto|assunto|oggetto|onderwerp|ämne|emne|temat|aihe|тема|předmět|件名|主题|제목"
        "|tárgy|konu"
    ),
}
_LABEL = re.compile(
    r"[\s*_]*(?:"
    + "|".join(
        f"(?P<{what}>{'|'.join(map(re.escape, names.split('|')))})"
        for what, names in _LABELS.items()
    )
    + r")[\s\xa0*_]*[:：]",
    re.IGNORECASE,
)
_MOST_HEADERS = 8
_ANY_LABEL = re.compile(r"[\s*_]*[^\W\d_][^:：]{0,30}[:：][\s*_]*\S")
_YEAR_OR_CLOCK = re.compile(r"(?<!\d)(?:(?:19|2\d)\d\d|\d{1,2}:\d\d)(?!\d)")
_FOOTER = re.compile(
    r"[\s*_<(\[-]*(?:sent (?:from|via|with|using|by) [\[*]?(?:my|the|a |an"
    r" |outlook|yahoo|mail|proton|samsung|galaxy|iphone|ipad|android"
    r"|gmail"
    r"|aol|k-?9|spark"
    r"|blackberry|windows|web\.de|gmx|hey|thunderbird|airmail|canary|fairmail|tutanota|tuta)|get"
    r" outlook for|get the .{0,30}app"
    r"|download .{0,30}outlook"
    r"|(?:von|mit) (?:meinem|meiner|dem|der) .{1,60}(?:gesendet|versendet|geschickt)|gesendet"
    r" (?:von|mit|über|aus)"
    r"|diese nachricht wurde (?:von|mit)"
    r"|holen sie sich outlook|outlook für (?:ios|android)|envoyé (?:de|depuis|à partir)"
    r" |télécharger outlook|obtenez outlook"
    r"|enviado (?:desde|do|de|a "
    r"partir|via|con) |enviada (?:do|de) |obtener outlook|obter o outlook|inviato (?:da|dal|con)"
    r" |scarica outlook|ottieni outlook"
    r"|verzonden (?:vanaf|van|met|via)"
    r"|verstuurd vanaf|outlook voor (?:ios|android)|skickat från|skaffa outlook|sendt"
    r" (?:fra|med|via) |hent outlook|få outlook"
    r"|wysłan[eoy] (?:z|przez) "
    r"|pobierz (?:program |aplikację )?outlook|lähetetty |hanki outlook|отправлено (?:с|из|через)"
    r" |odesláno (?:z|ze|pomocí) |odoslané z"
    r"|stáhněte si outlook|trimis (?:de pe|din)|iphoneから送信|发自我的|发送自|나의 .{1,20}에서"
    r" 보냄|this (?:message"
    r"|e-?mail) was sent from (?:my|a) )",
    re.IGNORECASE,
)
#: The same with the name of any program: Sent with Superhuman
_SENT_WITH = re.compile(
    r"[\s*_<(\[-]*[Ss]ent (?:from|via|with|using) (?:my |the |an? )?\[?[A-Z][\w+.-]*"
    r"(?: [\w+.-]+){0,4}\W*$"
)
#: Characters that turn the direction of writing. Programs put them around attributions.
_DIRECTIONS = dict.fromkeys([0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)])


class Signs:
    """What the lines of a message are, by line index; cheap for lines without colon or label."""

    def __init__(self, lines: list[str]) -> None:
        lines = self.lines = [line.translate(_DIRECTIONS) for line in lines]
        self.colons = {at for at, line in enumerate(lines) if _COLON.search(line[-12:])}
        self.labels = {
            at: match.lastgroup
            for at, line in enumerate(lines)
            if (":" in line or "：" in line) and (match := _LABEL.match(line))
        }

    def attribution(self, at: int) -> int:
        """Return how many lines from here form “On that day she wrote:”; 0 if none."""
        for size in range(1, 5):
            if at + size - 1 not in self.colons:
                continue
            window = self.lines[at : at + size]
            if not all(line.strip() for line in window) or any(
                looks_like_order(line) for line in window
            ):
                return 0
            if (
                size > 1
                and any(_STARTS.match(line) for line in window[1:])
                and not _STARTS.match(window[0])
            ):
                return 0
            text = " ".join(line.strip() for line in window)
            if len(text) <= _LONGEST and self._says_who_wrote(text, window):
                return size
        return 0

    def _says_who_wrote(self, text: str, window: list[str]) -> bool:
        dated = _DIGITS.search(text) is not None
        if len(window) > 1 and not (_STARTS.match(window[0]) or _MAYBE_STARTS.match(window[0])):
            return False
        if _VERB.search(text):
            return dated or _MAIL.search(text) is not None or (len(window) == 1 and len(text) <= 60)
        if _MAIL.search(text) and (dated or _NAMED.search(text)):
            return True
        return (
            dated
            and _STARTS.match(text) is not None
            and any(pattern.match(text) for pattern in _known_headers())
        )

    def separator(self, at: int) -> bool:
        """Return whether this is “-----Original Message-----” or similar."""
        line = self.lines[at]
        return len(line) <= 200 and (
            _SEPARATOR.match(line) is not None or _BARE_SEPARATOR.match(line) is not None
        )

    def block(self, at: int) -> bool:
        """Return whether two different headers of an older letter are within six nonblank lines."""
        if at not in self.labels:
            return False
        labels: set[str | None] = set()
        nonblank = 0
        for number in range(at, min(at + 12, len(self.lines))):
            nonblank += bool(self.lines[number].strip())
            if nonblank > 6:
                break
            if number in self.labels:
                labels.add(self.labels[number])
        return len(labels) >= 2

    def labeled(self, at: int) -> bool:
        """Return whether three lines or more have labels, one an address and another a date.

        So do the headers of an older letter in any language.
        """
        lines = list(takewhile(_ANY_LABEL.match, self.lines[at : at + _MOST_HEADERS]))
        addressed = [bool(_MAIL.search(line)) for line in lines]
        return len(lines) > 2 and any(
            _YEAR_OR_CLOCK.search(line) and any(addressed[:row] + addressed[row + 1 :])
            for row, line in enumerate(lines)
        )

    def is_dated(self, at: int, size: int = 1) -> bool:
        """Return whether lines have a time or a mail address, as programs write above quotations.

        People do not: “From: Germany”, “As you wrote:”.
        """
        text = " ".join(self.lines[at : at + size])
        return _DIGITS.search(text) is not None or _MAIL.search(text) is not None

    def footer(self, at: int) -> bool:
        """Return whether this is a footer that a phone or mail program adds below the text."""
        line = re.sub(r"<(?:https?|mailto):[^<>]*>|https?://\S+", "", self.lines[at][:300])
        return (
            not (looks_like_order(line) or says_more(line))
            and (_FOOTER.match(line) or _SENT_WITH.match(line)) is not None
        )


@cache
def _known_headers() -> tuple[re.Pattern[str], ...]:
    """Return the patterns that mail-parser-reply knows beyond ours.

    It is imported only for a line that looks like one, and only short lines are tried.
    """
    from mailparser_reply.constants import MAIL_LANGUAGES  # type: ignore[import-untyped]

    return tuple(
        re.compile(words["wrote_header"], re.MULTILINE)
        for words in MAIL_LANGUAGES.values()
        if "wrote_header" in words
    )
