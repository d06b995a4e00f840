"""Channels of chat programs that hear of a game (webhooks of Discord, Slack, Mattermost and the
like): what anybody may know, no more.

rows.py   what is written, in the transaction that causes it      words.py  what a notice says,
          through `view` for the public
outbox.py how notices get out, under a lease                      wire.py   the one request, to a
  checked address of the open internet

Nothing is imported here: whoever writes a notice needs `rows` alone.
"""
