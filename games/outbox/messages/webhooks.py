"""Write the letter about a webhook that does not answer any more."""

from __future__ import annotations

from datetime import datetime

from games.models import Channel
from games.outbox import rows


def lost(channel: Channel, now: datetime) -> None:
    """To the gamesmasters, or the person whose webhook it is: it has been removed because it could
    not be told anything. Once for each."""
    about = {"channel": channel.pk}
    if channel.game is None:
        rows.write([rows.row(f"webhook-{channel.pk}", "webhook", now, channel.person, about=about)])
        return
    rows.to(
        rows.gamesmasters(channel.game),
        channel.game,
        None,
        "channel",
        f"channel-{channel.pk}",
        now,
        about,
    )
