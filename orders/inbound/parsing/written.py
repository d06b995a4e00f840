"""When a message was written: mail may take hours, and comes in another order than it was sent."""

from __future__ import annotations

from datetime import datetime, timedelta

from .message import Message, parse_date

#: How long a message may lie in an outbox before a first server has it. A Date further off is a
#: wrong clock.
IN_THE_OUTBOX = timedelta(hours=1)
#: How wrong a clock may be: a message counts as older than something only if it is by more.
CLOCKS_MAY_DIFFER = timedelta(minutes=10)


def written_at(message: Message, received: datetime) -> datetime:
    """Return when a message was written, by the best evidence, and never later than it came.

    Best is what the first server wrote that took it from its sender, in the lowest Received: a
    server's clock is right, and each hop adds its header above, ours too. The Date of the sender's
    own program says more if it agrees: it lies at most an hour before that hop. If it does not, it
    is a wrong clock, or made up, and no evidence. Without Received the Date is all there is, and
    without either a message was written when it came.

    Nobody gains by a false header: a sender who seems to have written later could as well write
    now, and one who seems to have written earlier is asked.
    """
    hops = [
        instant
        for name, value in message.trace
        if name == "received" and (instant := parse_date(value.rpartition(";")[2])) is not None
    ]
    written = message.date or received
    if hops and not timedelta(0) <= hops[-1] - written <= IN_THE_OUTBOX:
        written = hops[-1]
    return min(written, received)
