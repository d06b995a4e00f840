"""Orders in the words in which people write them (contract 3a).

What has exactly one plain meaning becomes canonical lines, which the game's own parser reads; what
has two, or a condition, negation, alternative or doubt in it, is refused with the readings that it
might have. Pure, and driven by `words.toml`.

A game reads so if its option orders.language is "plain": that value is the version of what stands
here. Whoever changes what a line means adds another value, and leaves this one as it is.
"""
