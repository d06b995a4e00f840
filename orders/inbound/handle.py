"""What becomes of one message: whose it is, of which game, whether it proves that, and then it is
obeyed and answered once.

Nothing is obeyed on the strength of From alone: a message comes to the reader's own address of a
game (games.accounts.tokens), from an address of his that is on file, and is proven as the setting
demands. What falls short is held for the gamesmaster or confirmed by a link that goes to the
player's first address, never to the stranger. Everything here happens in the transaction of
`intake.handle`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parseaddr

from django.conf import settings

from games import permissions
from games.accounts import addresses, tokens
from games.models import Game, Letter, Person, ReplyAddress, Seat
from games.outbox import subscriptions
from games.outbox.messages import inbound as messages_inbound
from gamesmaster.links import link
from orders.models import Handling, Mail

from . import bounces, queue, referee_reports
from .identity import consent, copies, limits, trust
from .parsing import commands
from .parsing.message import Message, parse
from .replies.outcome import Outcome

Status = Handling.Status
OVER = (Game.Status.FINISHED, Game.Status.ABANDONED)
#: A message over the limit of its sender is looked at again so much later.
PUT_OFF = timedelta(minutes=10)
#: Mail servers try for some days, at most, to hand a letter on.
OLD_AFTER = timedelta(days=3)


@dataclass(frozen=True)
class Read:
    """A message as it was understood, and what it proves of its sender."""

    message: Message
    script: commands.Script
    proof: trust.Trust


#: What is known of a sender where somebody else decides about his message: nothing is looked up
# for it.
NOT_ASKED = trust.Trust(False, "", "Its sender has not been looked at.")


def ask_beforehand(mail: Mail) -> trust.Trust | None:
    """The proof that must be fetched before the transaction begins; None where none must.

    A signature is checked by the DNS of whoever has signed, which may keep one waiting as long as
    it likes: a transaction must not.
    """
    if settings.MAIL_TRUST != "dkim":
        return None
    raw = bytes(mail.raw)
    return trust.authenticated(parse(raw), raw, "dkim")


def read(
    row: Handling, game: Game | None, proof: trust.Trust | None = None, person: Person | None = None
) -> Read:
    """Reads a stored message of a person (unless named: whose the row is).

    Does nothing, and may be asked again: the page of a confirmation shows what would be obeyed.
    """
    mail = row.mail
    raw = bytes(mail.raw)
    own = {parseaddr(settings.DEFAULT_FROM_EMAIL)[1].lower(), settings.MAIL_REPLY.lower()}
    sender = None if mail.envelope_from == queue.UNKNOWN else mail.envelope_from
    message = parse(raw, sender, own_domain=settings.MAIL_DOMAIN, own_addresses=own)
    nations = game.card["order"] if game is not None else []
    today = (
        mail.received_at.astimezone(game.zoneinfo).date()
        if game is not None
        else mail.received_at.date()
    )
    verbs, free_text = (
        referee_reports.verbs(game, person or row.person),
        game is not None and game.rules.refereed,
    )
    script = commands.understand(
        message, today=today, nations=nations, verbs=verbs, free_text=free_text
    )
    return Read(
        message,
        script,
        proof or trust.authenticated(message, raw, settings.MAIL_TRUST, settings.MAIL_AUTHSERV_ID),
    )


def decide(
    row: Handling,
    now: datetime,
    reply: ReplyAddress | None = None,
    proof: trust.Trust | None = None,
) -> None:
    """Deals with a message and leaves in its row what was done and why; the caller saves it.

    `reply` is the address that it came to, where that has been looked up a moment ago; `proof` is
    what `ask_beforehand` gave.
    """
    if row.status == Status.UNCONFIRMED:
        row.status, row.words = Status.REFUSED, "The sender never confirmed it."
        return
    reply = reply or reply_of(row)
    game = reply.game if reply else None
    if game is not None:
        permissions.bring_seats(
            game
        )  # asked for again and again: whose nations are read, which state it is
    found = read(row, game, proof, reply.person if reply else None)
    message = found.message
    row.sender = message.from_.address[:254].replace("\0", "")
    row.kind = message.kind
    if message.bounce is not None:
        row.status, row.words = Status.IGNORED, bounces.note(message.bounce, row.mail, now)
    elif message.auto:
        _ignore(row, f"Nobody wrote it by hand: {message.auto}.")
        if reply is not None and _mutes_only(found.script) is True and not _from_us(message):
            _mute_silently(row, reply, now)
    elif not row.sender:
        _ignore(row, "It does not say who wrote it, or names several.")
    elif (asked := consent.find(row)) is not None:
        consent.decide(row, found, asked, now)
    elif reply is None:
        _without_key(row, found, now)
    elif not reply.person.is_active:
        _ignore(row, "The account is closed.")
    else:
        row.game, row.person = reply.game, reply.person
        with_key(row, found, reply.game, reply.person, now)


def reply_of(row: Handling) -> ReplyAddress | None:
    """The reply address that a message came to."""
    for address in row.mail.envelope_to:
        if found := tokens.find_reply(queue.key_in(address)):
            return found
    return None


def _from_us(message: Message) -> bool:
    return queue.is_ours(message.from_.address)


def _ignore(row: Handling, why: str) -> None:
    row.status, row.words = Status.IGNORED, why


# --- to a reader's own address ---


def with_key(row: Handling, found: Read, game: Game, person: Person, now: datetime) -> None:
    if (original := copies.find_original(row, game, person, found.proof.signatures)) is not None:
        _ignore(
            row,
            f"It bears the signature (DKIM) of message {original.mail_id}, which came before: it is"
            " a copy of it.",
        )
        return
    known = addresses.belongs(person, row.sender)
    if (wish := _mutes_only(found.script)) is not None:
        _mute(row, game, person, wish, known and found.proof.ok, now)
    elif game.status in OVER:
        _over(row, game, person, now)
    elif not ((seats := permissions.seats_held(person, game)) or permissions.runs(person, game)):
        _no_part(row, game, person, now)
    elif known and found.proof.ok and (old := _written_long_ago(row, found)):
        unproven(row, game, person, old, now)
    elif known and found.proof.ok:
        obey(row, found, now, how=found.proof.how, seats=seats)
    else:
        why = found.proof.why if known else f"“{row.sender}” is not among the addresses on file."
        unproven(row, game, person, why, now)


def _written_long_ago(row: Handling, found: Read) -> str:
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
    row: Handling, found: Read, now: datetime, *, how: str, seats: list[Seat] | None = None
) -> None:
    """Does what a message says, as of the time it was received, and writes its one answer. Put off
    where its sender sends too much.

    `seats` are those in which the sender sits, where they have been asked for just now.
    """
    from .execute import Sender
    from .execute import obey as do

    assert row.game is not None
    assert row.person is not None
    if limits.too_many(row.sender, now):
        row.due_at, row.words = (
            now + PUT_OFF,
            "So much mail of this sender has been obeyed within the hour that it waits.",
        )
        return
    sender = Sender(row.person, row.game, seats)
    outcome = do(sender, found.script, found.message, now, received=row.mail.received_at)
    row.status, row.kind, row.words = Status.DONE, "commands", f"{outcome.words} ({how})"
    _answer(row, outcome, now)


def _answer(row: Handling, outcome: Outcome, now: datetime) -> None:
    """The one answer, to the address that the message came from where it is one of the person's."""
    from games.outbox.messages import answers as messages_answers

    assert row.game is not None
    assert row.person is not None
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
        row.status = Status.HELD
        messages_inbound.mail_held(row, game, now)
        if limits.may_answer(person.email, now):
            row.answer = _held_word(row, game, person, now)
        return
    row.status = Status.UNCONFIRMED
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
        heading="A letter in your name waits for the gamesmaster",
        sentences=[
            f"A letter in your name has come from “{row.sender}”. {row.words}",
            (
                "It waits for the gamesmaster, and nothing of it holds until he lets it in. To be"
                " sure of your orders, send them on the page."
            ),
        ],
        links=[("The game", link("game", game.pk))],
        answers=row.mail.message_id,
    )


def _over(row: Handling, game: Game, person: Person, now: datetime) -> None:
    row.status, row.kind, row.words = Status.DONE, "too late", "The game is over."
    row.answer = messages_inbound.word(
        f"game-{game.pk}/over-mail/person-{person.pk}",
        person,
        game,
        now,
        heading="The game is over",
        sentences=[
            "Your letter has arrived, but the game is over: nothing can be ordered or sent in it"
            " any more."
        ],
        links=[("How it ended", link("game", game.pk))],
        answers=row.mail.message_id,
    )


def _no_part(row: Handling, game: Game, person: Person, now: datetime) -> None:
    row.status, row.kind, row.words = (
        Status.DONE,
        "no part",
        "The sender has no seat in the game any more.",
    )
    row.answer = messages_inbound.word(
        f"game-{game.pk}/no-part-{now:%Y%m%d}/person-{person.pk}",
        person,
        game,
        now,
        heading="You have no seat in this game any more",
        sentences=[
            "Your letter has arrived, but you do not play in this game now, and nothing of it has"
            " been obeyed."
        ],
        answers=row.mail.message_id,
    )


# --- to the address of everybody ---


def _without_key(row: Handling, found: Read, now: datetime) -> None:
    """Mail to no reader's own address. Obeyed if it is proven whose it is, and he plays in one game
    alone; else answered once a day."""
    people = addresses.people_at(row.sender)
    if not people:
        _ignore(row, "Nobody here has this address, and it came to no reply address.")
        return
    games = [(person, game) for person in people for game in addresses.running_games(person)]
    proven = found.proof.ok and found.proof.how != "address"
    if len(games) == 1 and proven:
        row.person, row.game = games[0]
        found = read(row, row.game, found.proof)  # once more, for now the nations are known
        with_key(row, found, row.game, row.person, now)
        return
    person = people[0]
    row.person = person
    row.status, row.kind = Status.DONE, "no address"
    row.words = "It came to no reply address, and does not prove of which game and player it is."
    if not limits.may_answer(row.sender, now):
        return
    if games:
        sentences = [
            (
                "Your letter has arrived, but not at your own address of a game, so that nobody can"
                " tell to which game it belongs."
            ),
            (
                "Answer a letter of the game instead: your mail program then writes to the right"
                " address by itself."
            ),
        ]
    else:
        sentences = [
            "Your letter has arrived, but you play in no game that is under way, so that there is"
            " nothing to do with it."
        ]
    row.answer = messages_inbound.word(
        f"lost-{now:%Y%m%d}/person-{person.pk}",
        person,
        None,
        now,
        heading="Your letter has found no game",
        sentences=[*sentences, "More letters like it are not answered today."],
        links=[("Your games", f"{settings.SITE_URL}/")],
        answers=row.mail.message_id,
    )


# --- asking for no more letters ---


def _mutes_only(script: commands.Script) -> bool | None:
    """True or False where a message asks for no more letters, or for letters again, and for nothing
    else."""
    wishes = [item.mute for item in script.items if isinstance(item, commands.Mute)]
    return (
        wishes[-1] if wishes and len(wishes) == len(script.items) and not script.refused else None
    )


def _mute_silently(row: Handling, reply: ReplyAddress, now: datetime) -> None:
    """A mail program that stops a list writes by itself; the key is the reader's own, and no answer
    is wanted."""
    row.game, row.person, row.kind = reply.game, reply.person, "mute"
    try:
        if subscriptions.mute(reply.person, reply.game, now):
            messages_inbound.silenced(reply.person, reply.game, now)
    except subscriptions.MuteRefused as refused:
        row.words = str(refused)
    else:
        row.status, row.words = (
            Status.DONE,
            "No more letters of this game, by the reader's own key.",
        )


def _mute(
    row: Handling, game: Game, person: Person, wish: bool, proven: bool, now: datetime
) -> None:
    """The key alone is enough to stop letters, as it is in the link; an answer goes to the person's
    own address."""
    row.status, row.kind = Status.DONE, "mute"
    heading = "No more letters of this game" if wish else "You get letters of this game again"
    try:
        if wish:
            subscriptions.mute(person, game, now)
            sentences = [
                (
                    "From now on you get no letters of this game, neither reports nor reminders."
                    " Answers to your own letters still come."
                ),
                "The game goes on, and so do its deadlines. The gamesmaster has been told.",
                "To get letters again, answer with the one word UNMUTE.",
            ]
        else:
            subscriptions.unmute(person, game, now)
            sentences = [
                "From now on you get the letters of this game again. What you have missed is on its"
                " page."
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
