"""Ask what a message is that answers another player's letter, or greets another nation or player.

People answer a letter as they answer any other, so lines without a command may be words to its
writer, or orders. So may the lines below “Hello Russia”. The service does not guess: it neither
sends the message nor reads it as orders, and asks once. The question ends with the phase in which
the message came.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from games import permissions
from games.accounts import addresses, tokens
from games.base.signing import Salt
from games.models import Letter, Person, Phase, Press, Proposal, Seat, Sitting
from games.outbox.messages import KINDS, reply_letters
from games.press import conversations
from games.rules.names import all_of, fold, vocabulary
from orders.inbound import parsed
from orders.inbound.execution.execution import Sender, answered_letters, quotation
from orders.inbound.identity import limits
from orders.inbound.parsing import commands, salutations
from orders.inbound.parsing.quoting import own_words
from orders.inbound.replies.outcome import Section
from orders.models import Handling

#: Commands about orders, and letters with a heading and END: beside them the other lines of a
#: message are orders.
_SETTLING = (commands.Final, commands.Cancel, commands.Adopt, commands.PressItem)
#: The most lines of a message that the question shows; its page shows all.
_SHOWN_AT_MOST = 40


@dataclass(frozen=True)
class Addressee:
    """Whom a message may be a letter to.

    That is the writer of another player's `letter`, or else the `nations` that it greets.
    """

    letter: Letter | None
    nations: tuple[str, ...] = ()

    @property
    def in_words(self) -> str:
        """How the message shows whom it may be for, as the start of a sentence."""
        if self.letter is not None:
            return f"You answered {_description(self.letter)} without a command"
        return f"Your message greets {all_of(self.nations)} and has no command"


def addressee_of(mail: parsed.ParsedMail, sender: Sender) -> Addressee | None:
    """Return whom a message may be a letter to, or None for one to the service."""
    for letter in answered_letters(mail.message, sender):
        if letter.kind != reply_letters.CHOICE.id:  # it asks about an answer to the next one
            if KINDS[letter.kind].between_people:
                return Addressee(letter)
            break
    nations = _greeted_nations(mail, sender)
    return Addressee(None, nations) if nations else None


def _greeted_nations(mail: parsed.ParsedMail, sender: Sender) -> tuple[str, ...]:
    """Return the other nations that a message greets by their names or by those of their players.

    A sentence may follow: “Hello Ida, shall we ally?” or “Ida, my dear!”, but “Hello, Russia and
    Poland 5 each” greets nobody by name. In an anonymous game nobody knows the players. Who runs
    the game is greeted as the service is.
    """
    begun = (line for line in mail.script.lines[:1] if not line.text.split()[0].endswith(","))
    lines = (*mail.script.passed_over, *begun)
    greeted = [name for line in lines for name in salutations.greeted(line.text)]
    spoken_to, says_no_more = _first_addressed(mail)
    if not (greeted or spoken_to):
        return ()
    game, person = sender.game, sender.person
    names = tuple(game.seats.nations().values_list("nation", flat=True))
    players: dict[str, str] = {}
    if permissions.sees_names(person, game):
        sittings = Sitting.objects.current().filter(seat__game=game, seat__nation__in=names)
        for sitting in sittings.select_related("person", "seat"):
            players |= dict.fromkeys(_called(sitting.person), sitting.seat.nation)
        for gamesmaster in game.gamesmasters.all():
            for name in _called(gamesmaster):
                players.pop(name, None)
    nations = [
        vocabulary(names, "nation").exactly(name) or players.get(fold(name), "") for name in greeted
    ]
    nations += [players.get(fold(name), "") for name in spoken_to]
    if says_no_more:  # “Russia, France with GE” may be an attack
        nations += [vocabulary(names, "nation").exactly(name) for name in spoken_to]
    own = {seat.nation for seat in permissions.held_seats(person, game)}
    return tuple(nation for nation in dict.fromkeys(nations) if nation and nation not in own)


def _first_addressed(mail: parsed.ParsedMail) -> tuple[list[str], bool]:
    """Return whom the first line speaks to by name, and whether it says no more."""
    lines = (*mail.script.passed_over, *mail.script.lines)
    first = min(lines, key=lambda line: line.number, default=None)
    return salutations.addressed(first.text) if first is not None else ([], False)


def _called(person: Person) -> tuple[str, str]:
    """Return how people greet a person: by the whole name, or by its first word."""
    return fold(person.name), fold(person.name.partition(" ")[0])


def words_of(mail: parsed.ParsedMail) -> str:
    """Return what would be sent: the sender's own words, or lines of the subject or of a file."""
    if words := own_words(mail.message.text).text.strip():
        return words
    items = [item for item in mail.script.items if isinstance(item, commands.Orders)]
    return "\n".join(line.written for item in items for line in item.lines)


def is_unclear(mail: parsed.ParsedMail) -> bool:
    """Return whether a message to a player says by no command what it is."""
    items = mail.script.items
    if mail.message.unreadable or (not items and mail.script.refused):  # a letter without END, say
        return False
    # Here YES is an answer to the other player's words, and to no question of ours.
    unclear = (commands.Orders, commands.Yes)
    return all(isinstance(item, unclear) for item in items) and bool(words_of(mail))


def leave_out_lines(
    script: commands.Script,
) -> tuple[commands.Script, tuple[commands.WrittenLine, ...]]:
    """Return a script without lines that no command says are orders, and these lines.

    ACCEPT does what it says in an answer to a proposal; the words below it may be for its proposer.
    """
    if any(isinstance(item, _SETTLING) for item in script.items):
        return script, ()
    lines: tuple[commands.WrittenLine, ...] = ()
    others: tuple[commands.Item, ...] = ()
    for item in script.items:
        match item:
            case commands.Orders():
                lines += item.lines
            case commands.Yes():
                lines += (item.written,)
            case _:
                others += (item,)
    return replace(script, items=others), lines


def left_out(lines: tuple[commands.WrittenLine, ...], to: Addressee) -> Section:
    """Return the part of an answer about lines that were neither sent nor read as orders."""
    if to.letter is not None:
        why, whom = "answers another player's letter", "that player"
        how = "answer that letter again with REPLY above them and END below"
    else:
        whom = all_of(to.nations)
        why = f"greets {whom}"
        how = f"send them with PRESS TO {', '.join(to.nations)} above them and END below"
    sentence = (
        f"Your message {why}, so these lines may be words to {whom}: they were neither sent nor"
        f" read as orders. To send them, {how}. If they are orders, write them without that"
        " greeting in answer to a letter of the service, such as this one."
    )
    return Section("Left aside", [sentence], kept=[quotation(line.written) for line in lines])


# --- the question ---


def ask(
    row: Handling,
    mail: parsed.ParsedMail,
    to_whom: Addressee,
    sender: Sender,
    rehearsed: tuple[str, str],
    now: datetime,
) -> bool:
    """Ask what a message is; the caller saves the row. Return whether the message could be either.

    `rehearsed`: to whom it would be sent, and why it cannot be; one of the two is "". Postpone it
    if its sender has had too many answers.
    """
    game, person = sender.game, sender.person
    to = row.sender if addresses.belongs(person, row.sender) else person.email
    if not limits.may_answer(to, limits.TO_PROVEN, now):
        row.due_at = now + limits.PUT_OFF
        row.words = "This sender has had too many answers within an hour, so this one waits."
        return True
    addressees, why_not = rehearsed
    phase = game.phases.current()
    own = permissions.held_seats(person, game) if sender.seats is None else sender.seats
    may_order = bool(own) or bool(game.rules.referee.seats)
    if not (addressees or may_order):
        return False
    row.status, row.kind = Handling.Status.UNCONFIRMED, Handling.CHOICE
    row.words = "It may be a letter to another player; its sender says whether it is, or orders."
    if not row.nonce:
        row.nonce, row.token_hash = tokens.new_nonce(Salt.CONFIRMATION)
    row.save()  # the letter names the row
    lines = words_of(mail).split("\n")
    about = {
        "handling": row.pk,
        "letter": to_whom.letter.pk if to_whom.letter is not None else None,
        "nations": list(to_whom.nations),
        "answered": to_whom.in_words,
        "addressees": addressees,
        "why_not": why_not,
        "may_order": may_order,
        "open": phase is not None and phase.status == Phase.Status.OPEN,
        "lines": lines[:_SHOWN_AT_MOST],
        "more": len(lines[_SHOWN_AT_MOST:]),
    }
    row.answer = reply_letters.ask_for_choice(row, person, game, phase, about, now, to=to)
    return True


def addressee_in(question: Letter) -> Addressee:
    """Return whom the message may be a letter to about which a question was asked."""
    letter = Letter.objects.filter(pk=question.about["letter"]).first()
    return Addressee(letter, tuple(question.about["nations"]))


def as_letter(mail: parsed.ParsedMail, to: Addressee) -> parsed.ParsedMail:
    """Return a message as if its words stood between REPLY, or PRESS TO, and END."""
    own = to.letter.about.get("seats") if to.letter is not None else None
    nations = list(Seat.objects.filter(pk__in=own or ()).values_list("nation", flat=True))
    item = commands.PressItem(
        line=1,
        nation=nations[0] if len(nations) == 1 else "",
        kind="press" if to.letter is None else "reply",
        to=to.nations,
        to_all=False,
        to_gamesmaster=False,
        signed=True,
        n=None,
        body=words_of(mail),
    )
    return replace(mail, script=commands.Script((item,)))


def reason_not_sent(outcome: dict[str, Any]) -> str:
    """Return why a letter was not sent, from the content of its answer; "" if it was sent."""
    sections = outcome.get("sections", ())
    return " ".join(point for section in sections for point in section["points"])


def _description(letter: Letter) -> str:
    """Return the letter that was answered, in words, without the writer of an unsigned one."""
    if "press" in letter.about:
        row = Press.objects.select_related("seat").get(pk=letter.about["press"])
        return f"a letter from {conversations.writer(row)}"
    proposal = Proposal.objects.select_related("seat", "to").get(pk=letter.about["proposal"])
    both = [proposal.seat, proposal.to]
    others = [seat.nation for seat in both if seat.pk not in letter.about["seats"]]
    return f"a letter about a deal with {all_of(others)}"


def question_about(row: Handling) -> Letter | None:
    """Return the question that was asked about a message, or None."""
    key = reply_letters.choice_key(row)
    question: Letter | None = Letter.objects.select_related("phase").filter(key=key).first()
    return question


def has_ended(question: Letter, row: Handling, now: datetime) -> bool:
    """Return whether the phase in which a message came is over, so that nobody answers any more."""
    if question.phase is None:
        return now >= row.answerable_until
    if question.about["open"]:
        return question.phase.status != Phase.Status.OPEN
    assert row.game is not None
    return row.game.phases.current() != question.phase
