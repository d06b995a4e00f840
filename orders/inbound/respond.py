"""Obey a message, or say why not; either way it is answered once."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings

from games import permissions
from games.accounts import addresses, tokens
from games.models import Game, Letter, Person, ReplyAddress, Seat
from games.outbox import subscriptions
from games.outbox.messages import answers as messages_answers
from games.outbox.messages import inbound as messages_inbound
from gamesmaster.links import link
from orders.inbound import parsed, queue
from orders.inbound.identity import copies, limits
from orders.inbound.parsing import commands
from orders.inbound.parsing.message import Message
from orders.inbound.replies.outcome import Outcome
from orders.models import Handling

from .execute import Sender
from .execute import obey as do

#: A message over the limit of its sender is looked at again so much later.
PUT_OFF = timedelta(minutes=10)


#: Mail servers try for some days, at most, to hand a letter on.
OLD_AFTER = timedelta(days=3)


def with_key(
    row: Handling, found: parsed.ParsedMail, game: Game, person: Person, now: datetime
) -> None:
    if (original := copies.find_original(row, game, person, found.proof.signatures)) is not None:
        ignore(
            row,
            f"Its DKIM signature is that of message {original.mail_id}, which arrived earlier: it"
            " is a copy.",
        )
        return
    known = addresses.belongs(person, row.sender)
    if (wish := mutes_only(found.script)) is not None:
        _mute(row, game, person, wish, known and found.proof.ok, now)
    elif game.is_over:
        _over(row, game, person, now)
    elif not ((seats := permissions.seats_held(person, game)) or permissions.runs(person, game)):
        _no_part(row, game, person, now)
    elif known and found.proof.ok and (old := _too_old(row, found)):
        unproven(row, game, person, old, now)
    elif known and found.proof.ok:
        obey(row, found, now, how=found.proof.how, seats=seats)
    elif not known and (other := _player_at(row.sender, game)) is not None:
        _not_their_address(row, game, other, now)
    else:
        why = found.proof.why if known else f"“{row.sender}” is not an address on file."
        unproven(row, game, person, why, now)


def _player_at(address: str, game: Game) -> Person | None:
    """Return who plays or runs this very game and has this address."""
    for person in addresses.people_at(address):
        if permissions.seats_held(person, game) or permissions.runs(person, game):
            return person
    return None


def _not_their_address(row: Handling, game: Game, sender: Person, now: datetime) -> None:
    """Answer a player who wrote to another player's address, such as by answering a letter that
    was forwarded. Nothing is taken, and the owner of the address learns neither who wrote nor
    what."""
    row.status, row.kind, row.person = Handling.Status.DONE, "another's address", sender
    row.words = "It arrived at another player's address; its sender was informed."
    own = tokens.reply_address(sender, game, now)
    told = Handling.objects.filter(mail__message_id=row.mail.message_id, person=sender, game=game)
    if own in queue.own_addresses(bytes(row.mail.raw)) or told.exclude(pk=row.pk).exists():
        row.words = "The same message reached the sender's own address, or was answered already."
    elif limits.may_answer(sender.email, now):
        row.answer = messages_inbound.word(
            f"mail-{row.mail_id}/not-yours",
            sender,
            game,
            now,
            heading="You wrote to an address that is not yours",
            sentences=[
                "Your message went to the address of another player of this game. It changed"
                " nothing, and the other player did not get it.",
                "Reply to this letter, or to any other that you got: your mail program then"
                " writes to your own address. If you sent orders, send them again.",
            ],
            links=[("The game", link("game", game.pk))],
            answers=row.mail.message_id,
        )


def refuse_large(row: Handling, reply: ReplyAddress | None, now: datetime) -> None:
    """Tell the sender of a message that is too large that nothing of it was taken."""
    row.status = Handling.Status.REFUSED
    row.words = "The message was too large; only its headers are stored."
    game = reply.game if reply else None
    person = (
        next(iter(addresses.people_at(row.sender)), None)
        if reply is None
        else reply.person
        if addresses.belongs(reply.person, row.sender)
        else _player_at(row.sender, reply.game)
    )
    row.game, row.person = game, person
    if person is not None and person.is_active and limits.may_answer(row.sender, now):
        row.answer = messages_inbound.word(
            f"mail-{row.mail_id}/too-large",
            person,
            game,
            now,
            heading="Your message was too large",
            sentences=[
                "Your message was larger than"
                f" {settings.MAIL_LARGEST // 1000:,} kB, so we did not read it.",
                "If you sent orders, send them again as plain text, without pictures or other"
                " attachments.",
            ],
            links=[("The game", link("game", game.pk))] if game else [],
            answers=row.mail.message_id,
            to=row.sender,
        )


def names_several(message: Message, person: Person) -> bool:
    """Return whether a message has several senders, this person among them."""
    return len(message.senders) > 1 and any(
        addresses.belongs(person, sender.address) for sender in message.senders
    )


def ask_for_one_sender(row: Handling, reply: ReplyAddress, now: datetime) -> None:
    """Tell the owner of an address that a message with several senders was not taken: which of
    them wrote it nothing proves."""
    row.game, row.person = reply.game, reply.person
    row.status, row.kind = Handling.Status.REFUSED, "several senders"
    row.words = "It names several senders, without proof of which one wrote it."
    if limits.may_answer(reply.person.email, now):
        row.answer = messages_inbound.word(
            f"mail-{row.mail_id}/several",
            reply.person,
            reply.game,
            now,
            heading="We did not read a message with several senders",
            sentences=[
                "A message to your address names several senders, so we did not read it. If you"
                " wrote it, send it again with one address in From.",
            ],
            links=[("The game", link("game", reply.game.pk))],
            answers=row.mail.message_id,
        )


def _too_old(row: Handling, found: parsed.ParsedMail) -> str:
    """Why a letter of old is not obeyed by its signature alone, which holds for ever: whoever has a
    copy could send it once more."""
    written = found.message.date
    if (
        found.proof.how == "address"
        or written is None
        or row.mail.received_at - written <= OLD_AFTER
    ):
        return ""
    return f"It says that it was written on {written.day} {written:%B %Y}, and has come only now."


def obey(
    row: Handling,
    found: parsed.ParsedMail,
    now: datetime,
    *,
    how: str,
    seats: list[Seat] | None = None,
) -> None:
    """Does what a message says, as of the time it was received, and writes its one answer. Put off
    where its sender sends too much.

    `seats` are those in which the sender sits, where they have been asked for just now.
    """
    assert row.game is not None
    assert row.person is not None
    if limits.too_many(row.sender, now):
        row.due_at = now + PUT_OFF
        row.words = "This sender has sent too many messages within an hour, so this one waits."
        return
    sender = Sender(row.person, row.game, seats)
    outcome = do(sender, found.script, found.message, now, received=row.mail.received_at)
    row.status, row.kind, row.words = Handling.Status.DONE, "commands", f"{outcome.words} ({how})"
    _answer(row, outcome, now)


def _answer(row: Handling, outcome: Outcome, now: datetime) -> None:
    """The one answer, to the address that the message came from where it is one of the person's."""
    assert row.game is not None
    assert row.person is not None
    if outcome.quiet and not row.person.receipts:
        row.outcome = outcome.as_json()
        return
    to = row.sender if addresses.belongs(row.person, row.sender) else row.person.email
    if not limits.may_answer(to, now):
        row.outcome = outcome.as_json()
        row.answer = limits.no_more_answers(row.person, row.game, to, now)
        return
    messages_answers.write(row, outcome, now, to=to)


def unproven(row: Handling, game: Game, person: Person, why: str, now: datetime) -> None:
    """A message that proves nothing: the gamesmaster decides, or the person whose it would be, by a
    link to his first address."""
    row.words = why
    if settings.MAIL_UNPROVEN == "hold":
        row.status = Handling.Status.HELD
        messages_inbound.report_held_mail(row, game, now)
        if limits.may_answer(person.email, now):
            row.answer = _held_word(row, game, person, now)
        return
    row.status = Handling.Status.UNCONFIRMED
    row.nonce, row.token_hash = tokens.new_nonce("confirm")
    row.save()  # the letter names the row
    if limits.may_answer(person.email, now):
        row.answer = messages_inbound.confirm(row, person, game, now)


def _held_word(row: Handling, game: Game, person: Person, now: datetime) -> Letter | None:
    """To the first address on file: whoever wrote in this name, its owner learns that nothing of it
    holds yet."""
    return messages_inbound.word(
        f"mail-{row.mail_id}/held",
        person,
        game,
        now,
        heading="Mail in your name waits for the gamesmaster",
        sentences=[
            f"Mail in your name arrived from “{row.sender}”. {row.words}",
            (
                "It counts only if the gamesmaster accepts it. To be sure of your orders, send"
                " them on the page."
            ),
        ],
        links=[("The game", link("game", game.pk))],
        answers=row.mail.message_id,
    )


def _over(row: Handling, game: Game, person: Person, now: datetime) -> None:
    row.status, row.kind, row.words = Handling.Status.DONE, "too late", "The game is over."
    row.answer = messages_inbound.word(
        f"game-{game.pk}/over-mail/person-{person.pk}",
        person,
        game,
        now,
        heading="The game is over",
        sentences=["Your message arrived, but the game is over: it changed nothing."],
        links=[("How it ended", link("game", game.pk))],
        answers=row.mail.message_id,
    )


def _no_part(row: Handling, game: Game, person: Person, now: datetime) -> None:
    row.status, row.kind = Handling.Status.DONE, "no part"
    row.words = "The sender has no seat in the game any more."
    row.answer = messages_inbound.word(
        f"game-{game.pk}/no-part-{now:%Y%m%d}/person-{person.pk}",
        person,
        game,
        now,
        heading="You have no seat in this game any more",
        sentences=[
            "Your message arrived, but you do not play in this game now: it changed nothing."
        ],
        answers=row.mail.message_id,
    )


def from_us(message: Message) -> bool:
    return queue.is_ours(message.from_.address)


def ignore(row: Handling, why: str) -> None:
    row.status, row.words = Handling.Status.IGNORED, why


def mutes_only(script: commands.Script) -> bool | None:
    """True or False where a message asks for no more letters, or for letters again, and for nothing
    else."""
    wishes = [item.mute for item in script.items if isinstance(item, commands.Mute)]
    return (
        wishes[-1] if wishes and len(wishes) == len(script.items) and not script.refused else None
    )


def mute_silently(row: Handling, reply: ReplyAddress, now: datetime) -> None:
    """A mail program that stops a list writes by itself; the key is the reader's own, and no answer
    is wanted."""
    row.game, row.person, row.kind = reply.game, reply.person, "mute"
    try:
        if subscriptions.mute(reply.person, reply.game, now):
            messages_inbound.confirm_mute(reply.person, reply.game, now)
    except subscriptions.MuteRefused as refused:
        row.words = str(refused)
    else:
        row.status = Handling.Status.DONE
        row.words = "The reader turned off letters of this game by their link."


def _mute(
    row: Handling, game: Game, person: Person, wish: bool, proven: bool, now: datetime
) -> None:
    """The key alone is enough to stop letters, as it is in the link; an answer goes to the person's
    own address."""
    row.status, row.kind = Handling.Status.DONE, "mute"
    heading = "No more letters of this game" if wish else "You get letters of this game again"
    try:
        if wish:
            subscriptions.mute(person, game, now)
            sentences = [
                (
                    "You get no more letters of this game: no reports and no reminders, only"
                    " answers to your own mail."
                ),
                "The game and its deadlines go on. The gamesmaster was informed.",
                "To get letters again, reply with the one word UNMUTE.",
            ]
        else:
            subscriptions.unmute(person, game, now)
            sentences = [
                "You get letters of this game again. The page of the game has what you missed."
            ]
    except subscriptions.MuteRefused as refused:
        heading, sentences = "You still get the letters of this game", [str(refused)]
    row.words = sentences[0]
    to = row.sender if proven else person.email
    if limits.may_answer(to, now):
        row.answer = messages_inbound.word(
            f"mail-{row.mail_id}/mute",
            person,
            game,
            now,
            heading=heading,
            sentences=sentences,
            links=[("The game", link("game", game.pk))],
            answers=row.mail.message_id,
            to=to,
        )
