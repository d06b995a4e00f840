"""Obey a message, or tell its sender why not; each message gets one answer."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings

from games import permissions
from games.accounts import addresses, tokens
from games.base.links import link
from games.base.signing import Salt
from games.models import Game, Letter, Person, ReplyAddress, Seat
from games.outbox import subscriptions
from games.outbox.messages import answer_letters, reply_letters
from orders.inbound import parsed, player_letters, queue
from orders.inbound.identity import copies, limits
from orders.inbound.parsing import commands
from orders.inbound.parsing.message import Message
from orders.inbound.replies.outcome import Outcome
from orders.models import Handling

from .execution.execute import obey as do
from .execution.execution import Sender

#: Mail servers retry a delivery for some days at most.
OLD_AFTER = timedelta(days=3)


def handle_with_key(
    row: Handling, mail: parsed.ParsedMail, game: Game, person: Person, now: datetime
) -> None:
    """Handle a message to a reader's own address of a game.

    Ignore copies. Obey it if its sender is proven; otherwise hold it or ask for confirmation.
    """
    if (original := copies.find_original(row, game, person, mail.proof.signatures)) is not None:
        ignore(
            row,
            f"Its DKIM signature is that of message {original.mail_id}, which arrived earlier: it"
            " is a copy.",
        )
        return
    on_file = addresses.belongs(person, row.sender)
    if (wish := mutes_only(mail.script)) is not None:
        _mute(row, game, person, wish, on_file and mail.proof.ok, now)
    elif game.is_over:
        _answer_game_over(row, game, person, now)
    elif not ((seats := permissions.held_seats(person, game)) or permissions.runs(person, game)):
        _no_part(row, game, person, now)
    elif on_file and mail.proof.ok and (old := _reason_too_old(row, mail)):
        unproven(row, game, person, old, now)
    elif on_file and mail.proof.ok:
        obey(row, mail, now, how=mail.proof.how, seats=seats)
    elif not on_file and (other := _player_at(row.sender, game)) is not None:
        _not_their_address(row, game, other, now)
    else:
        why = mail.proof.why if on_file else f"“{row.sender}” is not an address on file."
        unproven(row, game, person, why, now)


def _player_at(address: str, game: Game) -> Person | None:
    """Return the person with this address who plays or runs this game, or None."""
    for person in addresses.people_at(address):
        if permissions.held_seats(person, game) or permissions.runs(person, game):
            return person
    return None


def _not_their_address(row: Handling, game: Game, sender: Person, now: datetime) -> None:
    """Answer a player who wrote to another player's address.

    For example, they replied to a forwarded letter. Nothing is accepted. The owner of the address
    does not learn who wrote, or what.
    """
    row.status, row.kind, row.person = Handling.Status.DONE, "another's address", sender
    row.words = "It arrived at another player's address; its sender was informed."
    own_address = tokens.reply_address(sender, game, now)
    same_messages = Handling.objects.filter(
        mail__message_id=row.mail.message_id, person=sender, game=game
    )
    if (
        own_address in queue.own_addresses(bytes(row.mail.raw))
        or same_messages.exclude(pk=row.pk).exists()
    ):
        row.words = "The same message reached the sender's own address, or was answered already."
    elif limits.may_answer(sender.email, now):
        row.answer = reply_letters.word(
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
    """Tell the sender of a message that is too large that it was not accepted."""
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
        row.answer = reply_letters.word(
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
    """Tell the owner of an address that a message with several senders was not accepted.

    Nothing proves which of them wrote it.
    """
    row.game, row.person = reply.game, reply.person
    row.status, row.kind = Handling.Status.REFUSED, "several senders"
    row.words = "It names several senders, without proof of which one wrote it."
    if limits.may_answer(reply.person.email, now):
        row.answer = reply_letters.word(
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


def _reason_too_old(row: Handling, mail: parsed.ParsedMail) -> str:
    """Return why an old message is not obeyed on its signature alone, or "".

    Signatures stay valid forever, so anybody with a copy could send it again.
    """
    written = mail.message.date
    if (
        mail.proof.how == "address"
        or written is None
        or row.mail.received_at - written <= OLD_AFTER
    ):
        return ""
    return f"It says that it was written on {written.day} {written:%B %Y}, and has come only now."


def obey(
    row: Handling,
    mail: parsed.ParsedMail,
    now: datetime,
    *,
    how: str,
    seats: list[Seat] | None = None,
    chosen: bool = False,
) -> None:
    """Do what a message says, as of the time it was received, and write its answer.

    Postpone it if its sender has sent too many. `seats` are the sender's seats, if the caller has
    them. `chosen`: its sender has said what it is, so that they are not asked.
    """
    assert row.game is not None
    assert row.person is not None
    if limits.has_reached_limit(row.sender, now):
        row.due_at = now + limits.PUT_OFF
        row.words = "This sender has sent too many messages within an hour, so this one waits."
        return
    sender = Sender(row.person, row.game, seats)
    script = mail.script
    lines: tuple[commands.WrittenLine, ...] = ()
    if not chosen and (letter := player_letters.answered_by(mail, sender)) is not None:
        if player_letters.is_unclear(mail) and player_letters.ask(row, mail, letter, sender, now):
            return
        script, lines = player_letters.leave_out_lines(mail.script)
    outcome = do(sender, script, mail.message, now, received=row.mail.received_at)
    if lines:
        outcome.sections.append(player_letters.left_out(lines))
    row.status, row.kind, row.words = Handling.Status.DONE, "commands", f"{outcome.words} ({how})"
    _answer(row, outcome, now)


def _answer(row: Handling, outcome: Outcome, now: datetime) -> None:
    """Write the answer, to the address the message came from if it is one of the person's.

    Otherwise to their first address.
    """
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
    answer_letters.write(row, outcome, now, to=to)


def unproven(row: Handling, game: Game, person: Person, why: str, now: datetime) -> None:
    """Ask about a message that is not proven.

    By settings.MAIL_UNPROVEN, the gamesmaster decides, or the person it claims to come from
    confirms it by a link sent to their first address.
    """
    row.words = why
    if settings.MAIL_UNPROVEN == "hold":
        row.status = Handling.Status.HELD
        reply_letters.report_held_mail(row, game, now)
        if limits.may_answer(person.email, now):
            row.answer = _tell_held(row, game, person, now)
        return
    row.status = Handling.Status.UNCONFIRMED
    row.nonce, row.token_hash = tokens.new_nonce(Salt.CONFIRMATION)
    row.save()  # the letter names the row
    if limits.may_answer(person.email, now):
        row.answer = reply_letters.confirm(row, person, game, now)


def _tell_held(row: Handling, game: Game, person: Person, now: datetime) -> Letter | None:
    """Tell a person that mail in their name is held and does not count yet.

    The letter goes to their first address.
    """
    return reply_letters.word(
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


def _answer_game_over(row: Handling, game: Game, person: Person, now: datetime) -> None:
    """Answer a message about a game that is over."""
    row.status, row.kind, row.words = Handling.Status.DONE, "too late", "The game is over."
    row.answer = reply_letters.word(
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
    """Answer a message from a person who has no seat in the game any more."""
    row.status, row.kind = Handling.Status.DONE, "no part"
    row.words = "The sender has no seat in the game any more."
    row.answer = reply_letters.word(
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


def is_from_us(message: Message) -> bool:
    """Return whether a message comes from one of the service's own addresses."""
    return queue.is_ours(message.from_.address)


def ignore(row: Handling, why: str) -> None:
    """Record that a message is not answered, and why."""
    row.status, row.words = Handling.Status.IGNORED, why


def mutes_only(script: commands.Script) -> bool | None:
    """Return True if a message only asks to stop a game's letters, False to restart them.

    Return None if it asks for anything else.
    """
    mute_values = [item.mute for item in script.items if isinstance(item, commands.Mute)]
    return (
        mute_values[-1]
        if mute_values and len(mute_values) == len(script.items) and not script.refused
        else None
    )


def mute_silently(row: Handling, reply: ReplyAddress, now: datetime) -> None:
    """Stop a game's letters without an answer.

    A mail program that unsubscribes writes by itself and needs no answer. The key proves that it is
    the reader's own address.
    """
    row.game, row.person, row.kind = reply.game, reply.person, "mute"
    try:
        if subscriptions.mute(reply.person, reply.game, now):
            reply_letters.confirm_mute(reply.person, reply.game, now)
    except subscriptions.MuteRefused as refused:
        row.words = str(refused)
    else:
        row.status = Handling.Status.DONE
        row.words = "The reader turned off letters of this game by their link."


def _mute(
    row: Handling, game: Game, person: Person, wish: bool, proven: bool, now: datetime
) -> None:
    """Stop or restart a game's letters.

    The key alone is enough to stop letters, as in the unsubscribe link. The answer goes to the
    person's own address.
    """
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
        row.answer = reply_letters.word(
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
