"""Webhooks: channels of chat programs, and a person's programs and browsers.

Channels of chat programs (Discord, Slack, Mattermost and the like) get the public news of a game. A
person's programs and browsers get a notice when something is due.

rows.py      notices, written in the transaction that causes them
words.py     text of a game's notices, through `view` for the public
personal.py  webhooks of a person: their events, signed
browsers.py  browsers of a person: the same events as encrypted notifications
delivery.py  sending of notices, under a lease
wire.py      the one HTTP request, to a checked address of the public internet

This module imports nothing: code that writes a notice needs only `rows`.
"""
