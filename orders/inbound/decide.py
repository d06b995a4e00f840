"""Decide about one message: find its sender, game and proof; then obey it or say why not.

From alone is never enough. A message must be sent to the reader's own address of a game
(games.accounts.tokens), from an address of theirs on file, be proven as the settings demand, and
name that address in To or Cc.
Otherwise it is held for the gamesmaster, or confirmed by a link that is sent to the player's first
address, never to the stranger. Everything here happens in the transaction of
`orders.inbound.handle.handle_mail`.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from games import permissions
from games.accounts import addresses, tokens
from games.models import Game, Person, ReplyAddress
from orders.inbound import bounces, canned, mutes, parsed, player_letters, queue, set_aside
from orders.inbound.execution import execute
from orders.inbound.execution.execution import Sender
from orders.inbound.identity import consent, limits, offers, trust, waiting
from orders.inbound.parsing.message import Message
from orders.models import Handling

Status = Handling.Status
#: Mail servers retry a delivery for some days at most.
OLD_AFTER = timedelta(days=3)
_WRITTEN_TO_OTHERS = (
    "It does not name our address in a To or Cc that nobody can have changed, so it may have been"
    " written to others."
)


def decide(
    row: Handling,
    now: datetime,
    reply: ReplyAddress | None = None,
    proof: trust.Trust | None = None,
) -> None:
    """Handle a message and record in its row what was done and why; the caller saves it.

    `reply` is the address that it was sent to, if the caller has looked it up. `proof` is the
    result of `parsed.check_signature`, if signatures count.
    """
    if row.status == Status.UNCONFIRMED and (until := waiting.still_asked(row, now)):
        row.due_at = until
        return
    if row.status == Status.UNCONFIRMED:
        row.status, row.words = Status.REFUSED, "The sender never confirmed it."
        return
    reply = reply or queue.reply_at(row.mail.envelope_to)
    game = reply.game if reply else None
    if game is not None:
        # Load the seats once; parsing and permissions read them many times.
        permissions.load_seats(game)
    mail = parsed.parse_mail(row, game, proof, reply.person if reply else None)
    message = mail.message
    sender = message.from_.address
    row.sender = sender[:254].replace("\0", "")
    too_large = row.kind == queue.TOO_LARGE
    row.kind = queue.TOO_LARGE if too_large else message.kind
    if message.bounce is not None:
        canned.ignore(row, bounces.note(message.bounce, row.mail, now))
    elif why := set_aside.reason(row, message, reply):
        words = f"{why[0].upper()}{why[1:]}."
        if reply is not None and mutes.wish_in(mail.script) and not queue.is_ours(sender):
            canned.ignore(row, words)
            mutes.mute_silently(row, reply, now)
        else:
            set_aside.record(row, message, reply, words, now)
    elif reply is not None and _names_several(message, reply.person):
        row.game, row.person = reply.game, reply.person
        canned.give(row, canned.SEVERAL_SENDERS, now)
    elif not row.sender:
        canned.ignore(row, "It names no sender, or several.")
    elif too_large:
        _refuse_large(row, reply, now)
    elif (offer := offers.find(row)) is not None:
        if not consent.answer(row, mail, offer, now):
            _decide_for_game(row, mail, now)
    elif reply is None:
        if (proven := _find_game(row, mail, now)) is not None:
            _decide_for_game(row, proven, now)
    elif not reply.person.is_active:
        canned.ignore(row, "The account is closed.")
    else:
        row.game, row.person = reply.game, reply.person
        _decide_for_game(row, mail, now)


def _decide_for_game(row: Handling, mail: parsed.ParsedMail, now: datetime) -> None:
    """Handle a message to the row's person in the row's game.

    Ignore copies. Obey it if it is proven who wrote it, and to whom; otherwise hold it or ask for
    confirmation.
    """
    game, person = row.game, row.person
    assert game is not None
    assert person is not None
    if (original := queue.find_original(row, game, person, mail.proof.signatures)) is not None:
        canned.ignore(
            row,
            f"Its DKIM signature is that of message {original.mail_id}, which arrived earlier: it"
            " is a copy.",
        )
        return
    on_file = addresses.belongs(person, row.sender)
    proof = mail.proof
    if (
        proof.ok
        and proof.how != "address"
        and not parsed.is_addressed_to_us(row.mail, mail.message)
    ):
        proof = replace(proof, ok=False, why=_WRITTEN_TO_OTHERS)
    proven = on_file and proof.ok
    if (wish := mutes.wish_in(mail.script)) is not None:
        mutes.set_muted(row, game, person, wish, now, proven=proven)
    elif game.is_over and not (proven and mail.script.only_asks):
        canned.give(row, canned.GAME_OVER, now)
    elif not ((seats := permissions.held_seats(person, game)) or permissions.runs(person, game)):
        canned.give(row, canned.NO_PART, now)
    elif on_file and _is_click(mail):
        canned.ignore(row, f"{mail.message.clicked[0].upper()}{mail.message.clicked[1:]}.")
    elif on_file and _says_nothing(mail, sender := Sender(person, game, seats)):
        to = row.sender if proven else person.email
        canned.give_no_order(row, seats, mail.script, now, to=to)
    elif proven and (old := _reason_too_old(row, mail)):
        waiting.hold(row, old, now)
    elif proven:
        execute.obey(row, mail, now, how=proof.how, sender=sender)
    elif not on_file and (other := _player_at(row.sender, game)) is not None:
        _tell_stranger(row, game, other, now)
    elif on_file:
        waiting.hold(row, proof.why, now)
    else:
        waiting.hold(row, f"“{row.sender}” is not an address on file.", now)


def _is_click(mail: parsed.ParsedMail) -> bool:
    """Return whether a person only clicked on a reaction or on an answer to an invitation."""
    return bool(mail.message.clicked) and not mail.script.near


def _says_nothing(mail: parsed.ParsedMail, sender: Sender) -> bool:
    """Return whether no line of a message could be meant for the service.

    It may be a note of absence in any language, which must not be answered line by line. An answer
    to another player's letter may be words to that player.
    """
    return (
        mail.script.says_nothing
        and not mail.message.files
        and player_letters.addressee_of(mail, sender) is None
        and not parsed.is_read(mail, sender)
    )


def _find_game(row: Handling, mail: parsed.ParsedMail, now: datetime) -> parsed.ParsedMail | None:
    """Find person and game of mail to the general address. Return the mail as parsed for them.

    Return None if the sender is not proven, or plays in several games or none: then it is answered,
    at most once a day.
    """
    people = addresses.people_at(row.sender)
    if not people:
        words = "Nobody here has this address, and it arrived at no reply address."
        canned.ignore(row, words)
        return None
    games = [(person, game) for person in people for game in addresses.running_games(person)]
    proof = mail.proof
    if len(games) == 1 and proof.ok and proof.how != "address":
        row.person, row.game = games[0]
        # Parse again, now that the nations are known.
        return parsed.parse_mail(row, row.game, proof)
    if mail.message.wants_no_answer:
        words = "It arrived at no reply address and asks not to be answered, so it changed nothing."
        set_aside.record(row, mail.message, None, words, now)
        return None
    row.person = people[0]
    answer = canned.NO_ADDRESS if games else canned.NO_GAME
    if limits.may_answer(row.sender, limits.TO_ANYBODY, now):
        canned.give(row, answer, now)
    else:
        canned.record(row, answer)
    return None


def _names_several(message: Message, person: Person) -> bool:
    """Return whether a message has several senders, this person among them.

    Nothing proves which of them wrote it.
    """
    return len(message.senders) > 1 and any(
        addresses.belongs(person, sender.address) for sender in message.senders
    )


def _refuse_large(row: Handling, reply: ReplyAddress | None, now: datetime) -> None:
    row.game = reply.game if reply else None
    if reply is None:
        row.person = next(iter(addresses.people_at(row.sender)), None)
    elif addresses.belongs(reply.person, row.sender):
        row.person = reply.person
    else:
        row.person = _player_at(row.sender, reply.game)
    if row.person is not None and row.person.is_active:
        canned.give(row, canned.TOO_LARGE, now, to=row.sender)
    else:
        canned.record(row, canned.TOO_LARGE)


def _player_at(address: str, game: Game) -> Person | None:
    """Return the person with this address who plays or runs this game, or None."""
    for person in addresses.people_at(address):
        if permissions.held_seats(person, game) or permissions.runs(person, game):
            return person
    return None


def _tell_stranger(row: Handling, game: Game, sender: Person, now: datetime) -> None:
    """Answer a player who wrote to another player's address.

    For example, they replied to a forwarded letter. Nothing is accepted. The owner of the address
    does not learn who wrote, or what.
    """
    row.person = sender
    own_address = tokens.reply_address(sender, game, now)
    same_messages = Handling.objects.filter(
        mail__message_id=row.mail.message_id, person=sender, game=game
    )
    if (
        own_address in queue.own_addresses(bytes(row.mail.raw))
        or same_messages.exclude(pk=row.pk).exists()
    ):
        canned.record(row, canned.NOT_THEIRS)
        row.words = "The same message reached the sender's own address, or was answered already."
    else:
        canned.give(row, canned.NOT_THEIRS, now)


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
