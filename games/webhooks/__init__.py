"""Webhooks: channels of chat programs, and a person's programs and browsers.

Channels of chat programs (Discord, Slack, Mattermost and the like) get the public news of a game. A
person's programs and browsers get a notice when something is due.

words.py     a game's notice in the form of each chat program
browsers.py  browsers of a person: their events as encrypted notifications
delivery.py  sending of notices, under a lease

What is to be told is in `games/outbox`: `channel_events` and `personal_webhooks` list the events,
`notices` writes the rows.
"""
