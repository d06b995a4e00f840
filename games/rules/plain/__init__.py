"""Read orders in people's own words (contract 3a).

A line with exactly one plain meaning becomes canonical lines, which the game's own parser reads. A
line with two meanings, or with a condition, negation, alternative or doubt, is refused with its
possible readings. Pure, and driven by `words.toml` and `words_2.toml`.

The option orders.language is the version that a game reads: "plain", or "plain_2", which reads
what "plain" reads, and more. "plain_3" reads what "plain_2" reads, but sends back what means two
things only beside other words or lines: “Attack France, then Russia in Poland”. A change of what a
line means needs another version: those that games have must stay as they are (`words.VERSIONS`).
"""
