"""Webhooks: channels of chat programs that hear of a game what anybody may know (Discord, Slack,
Mattermost and the like), and a person's programs and browsers that hear when something is due.

rows.py      what is written, in the transaction that causes it
words.py     what a notice of a game says, through `view` for the public
personal.py  webhooks of a person: what they hear, signed
browsers.py  browsers of a person: the same as notifications, encrypted
delivery.py  how notices get out, under a lease
wire.py      the one request, to a checked address of the open internet

Nothing is imported here: whoever writes a notice needs `rows` alone.
"""
