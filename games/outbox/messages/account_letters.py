"""Write letters with tokens, and letters about letters and notices that cannot be delivered."""

from __future__ import annotations

from datetime import datetime

from games.models import Channel, Invitation, Letter, LoginKey
from games.outbox import rows
from games.outbox.kinds import Kind
from games.outbox.outgoing import Outgoing

LOGIN = Kind("login", "the login letter", secret=True, to_muted=True, awaited=True, replies="")


def login(key: LoginKey, now: datetime) -> None:
    """Send the link and the code to log in. The text is never stored.

    For a closed account the row is written but never sent.
    """
    letter = rows.row(f"login-{key.pk}", LOGIN, now, person=key.person, about={"login": key.pk})
    if not key.person.is_active:
        letter.status, letter.due_at, letter.fault = (
            Letter.Status.DROPPED,
            None,
            "The account is closed.",
        )
    rows.write([letter])


INVITATION = Kind("invitation", "the invitation", secret=True, to_muted=True, asks="i", replies="")


def invitation(inv: Invitation, now: datetime) -> None:
    """Send the invitation to a seat. The text is never stored."""
    game, key = inv.seat.game, f"game-{inv.seat.game_id}/invitation-{inv.pk}"
    about = {"invitation": inv.pk}
    rows.write([rows.row(key, INVITATION, now, address=inv.email, game=game, about=about)])


UNDELIVERED = Kind("undelivered", "the letter about an undelivered letter")


def report_undelivered(letter: Letter, now: datetime) -> None:
    """Tell the gamesmasters that a letter could not be delivered.

    Once per phase and person, and never about such a report itself.
    """
    if letter.game is None or letter.kind == UNDELIVERED.id:
        return
    game, phase, about = letter.game, letter.phase, {"letter": letter.pk}
    whom = f"of-{letter.person_id}" if letter.person_id else f"of-letter-{letter.pk}"
    with Outgoing([game]) as out:
        readers = [
            reader for reader in out.gamesmasters(game) if reader.person.pk != letter.person_id
        ]
        out.write_to(readers, game, phase, UNDELIVERED, f"undelivered-{whom}", now, about)


CHANNEL = Kind("channel", "the letter about a channel")
WEBHOOK = Kind("webhook", "the letter about a webhook")


def report_lost_channel(channel: Channel, now: datetime) -> None:
    """Tell the gamesmasters, or the owner of a personal webhook, that a channel was removed because
    it failed; once per channel."""
    about = {"channel": channel.pk}
    if channel.game is None:
        rows.write([rows.row(f"webhook-{channel.pk}", WEBHOOK, now, channel.person, about=about)])
        return
    with Outgoing([channel.game]) as out:
        event = f"channel-{channel.pk}"
        out.write_to_gamesmasters(channel.game, None, CHANNEL, event, now, about)
