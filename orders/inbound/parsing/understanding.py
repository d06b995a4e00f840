"""Understand a message: its own words, attached orders, a quoted report, or else its subject."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import date

from games.rules.names import all_of

from . import patterns
from .commands import Item, Orders, PressItem, RefusedCommand, ReportBelow, Script, WrittenLine
from .message import Message
from .normalize import looks_like_order, normal, order_heads
from .quoting import edited_report, new_lines, own_words
from .reading import begins, nobody, quote, read
from .suspects import Suspects

_MOST_NAMED = 5


def understand(
    message: Message,
    *,
    today: date | None = None,
    verbs: Collection[str] | None = None,
    nations: Collection[str] = (),
    free_text: bool = False,
    runs_game: Callable[[], bool] = nobody,
    suspects: Suspects | None = None,
) -> Script:
    """Return what a message says, from its own words and attached orders, otherwise its subject.

    This is what `parsed.parse_mail` calls. Never raises. `free_text`: in this game a line that is
    nothing else may be an order in plain words. `runs_game` returns whether the sender may use desk
    commands; it is called only for lines that are such commands. `suspects` says which lines that
    do not count look like orders; by default it knows the names of the nations only.
    """
    suspects = suspects or Suspects(nations)
    verbs = order_heads() if verbs is None else verbs
    today = today or (message.date.date() if message.date else None)
    own = own_words(message.text, suspects)
    text, dropped = own.text, own.dropped + len(message.hidden)
    doubtful = own.doubtful + new_lines(message.hidden, suspects)
    unsure = own.unsure
    unused_files: list[str] = []
    for attachment in message.attachments:
        attached = own_words(attachment.text, suspects)
        # Mail programs attach footers and signatures as text files. Only a file with a readable
        # line is taken for orders.
        if any(begins(normal(line), verbs) for line in attached.text.split("\n")):
            text = f"{text}\n\n{attached.text}" if text.strip() else attached.text
            dropped, doubtful = dropped + attached.dropped, doubtful + attached.doubtful
            unsure += attached.unsure
        elif attachment.text.strip() and (
            attachment.name or any(map(suspects.looks_meant, attachment.text.split("\n")))
        ):
            unused_files.append(attachment.name)
    script = read(
        text,
        today=today,
        verbs=verbs,
        nations=nations,
        free_text=free_text,
        runs_game=runs_game,
        suspects=suspects,
        end=own.end,
        writer=f"{message.from_.name} {message.from_.address.partition('@')[0]}",
    )
    notes = _notes(message)
    if subject := _own_subject(message, verbs, suspects):
        of_subject = read(subject, today=today, verbs=verbs, nations=nations, runs_game=runs_game)
        # “Re: HELP” is the subject of our own answer, and “Orders” that of many a letter.
        only_orders = subject != message.subject or bool(text.strip())
        if not (script.items or script.refused) and begins(normal(subject), verbs):
            script = _with_subject(script, of_subject, only_orders=only_orders)
        looks_meant = looks_like_order if script.items else suspects.looks_meant
        is_read = script.from_subject or script.refused or subject.casefold() in text.casefold()
        if not is_read and looks_meant(subject):
            notes += (
                f"Your subject {quote(subject)} looks like an order, but did not count. Write your"
                " orders into the message itself.",
            )
    is_by_program = bool(unsure or message.clicked)
    script = replace(
        script,
        dropped=dropped,
        doubtful=doubtful,
        notes=notes,
        unused_files=tuple(unused_files),
        unsure=unsure,
        near=(free_text and bool(text.strip())) or _is_near(script, suspects, is_by_program),
    )
    return _apply_edited_report(script, message.text, verbs)


def _own_subject(message: Message, verbs: Collection[str], suspects: Suspects) -> str:
    """Return the subject without “Re:” if it may be an order or command of the sender's, or "".

    That of a forwarded message is not theirs, nor is that of the letter which they answer: the
    subject of a receipt is that of the orders, which newer ones may have replaced.
    """
    prefix = patterns.ANSWER_SUBJECT.match(message.subject)
    subject = message.subject[prefix.end() :] if prefix else message.subject
    is_meant = suspects.looks_meant(subject) or (not prefix and begins(normal(subject), verbs))
    if not is_meant or patterns.REPLY_SUBJECT.match(subject):
        return ""
    if prefix and (suspects.is_ours(subject) or suspects.is_ours(f"Re: {subject}")):
        return ""
    return subject


def _with_subject(script: Script, of_subject: Script, *, only_orders: bool) -> Script:
    """Return what a message without orders and commands in its text says in its subject."""
    items = [item for item in of_subject.items if not isinstance(item, PressItem)]
    if only_orders:
        items = [item for item in items if isinstance(item, Orders)]
    refused = () if only_orders else of_subject.refused
    return replace(
        script,
        items=tuple(map(_subject_item, items)),
        refused=tuple(replace(refusal, line=0) for refusal in refused),
        from_subject=bool(items),
    )


def _is_near(script: Script, suspects: Suspects, is_by_program: bool) -> bool:
    """Return whether a message asks for anything, or a line in it may be meant as an order.

    Courtesies are answered, and an empty message unless a program wrote it (`is_by_program`).
    """
    if script.refused or any(not isinstance(item, Orders) for item in script.items):
        return True
    if not script.lines:
        return bool(script.passed_over) or not is_by_program
    return any(suspects.is_near(line.text) for line in script.lines)


def _notes(message: Message) -> tuple[str, ...]:
    """Return sentences about parts of a message that were left out before it was read."""
    notes: tuple[str, ...] = ()
    if message.unreadable == "encrypted":
        notes += ("We cannot read encrypted messages. Send your orders unencrypted.",)
    elif message.unreadable == "signed":
        notes += (
            "We cannot read your message because its text is inside its S/MIME signature. Send your"
            " orders unsigned, or set your mail program to sign in clear text.",
        )
    if message.crossed_out:
        quoted = all_of([quote(line) for line in message.crossed_out[:_MOST_NAMED]])
        it_does = "it does" if len(message.crossed_out) == 1 else "they do"
        notes += (f"You crossed out {quoted}, so {it_does} not count.",)
    return notes


def _apply_edited_report(script: Script, text: str, verbs: Collection[str]) -> Script:
    """Replace REPORT BELOW by the lines of the quoted report."""
    below = next((item for item in script.items if isinstance(item, ReportBelow)), None)
    if below is None:
        return script
    others = tuple(item for item in script.items if not isinstance(item, ReportBelow))
    quoted = edited_report(text, verbs)
    if not quoted:
        why = (
            "“REPORT BELOW” was not done: no report is quoted below it. Answer the letter that asks"
            " for it, or write the lines yourself."
        )
        return replace(
            script,
            items=others,
            refused=(*script.refused, RefusedCommand(below.line, "REPORT BELOW", why)),
        )
    lines = tuple(WrittenLine(below.line, line, normal(line)) for line in quoted)
    items = (*others, Orders(below.line, below.nation, lines))
    counted = [normal(line) for line in quoted]
    aside = [
        line
        for line in script.doubtful
        if not any(normal(line.lstrip("> ")) in report_line for report_line in counted)
    ]
    ordered = tuple(sorted(items, key=lambda item: item.line))
    return replace(script, items=ordered, doubtful=tuple(aside))


def _subject_item(item: Item) -> Item:
    """Return the item with line number 0."""
    if isinstance(item, Orders):
        return replace(item, line=0, lines=tuple(replace(line, number=0) for line in item.lines))
    return replace(item, line=0)
