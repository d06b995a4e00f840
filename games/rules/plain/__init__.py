"""Read orders in people's own words (contract 3a).

A line with exactly one plain meaning becomes canonical lines, which the game's own parser reads. A
line with two meanings, or with a condition, negation, alternative or doubt, is refused with its
possible readings, also where the doubt is only in words or lines beside it: “Attack France, then
Russia in Poland”. Pure, and driven by `words.toml`. A game reads it where its option
`orders.language` is "plain".
"""
