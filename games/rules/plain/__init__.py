"""Read orders in people's own words.

A clause whose every word has a place in one form of an order (`words.toml`, and for wishes the
game's `verbs.toml`) becomes a canonical line, which the game's own parser reads. A clause with two
meanings, or with a condition, negation, alternative or doubt, is refused with its possible
readings. What stands beside orders and is not understood leaves the whole text in doubt: its sender
is asked first. Pure. A game reads so where its option `orders.language` is "plain".
"""
