"""Origins of World War I (James F. Dunnigan; in Sid Sackson, A Gamut of Games, 1969), by mail.

`ruleset.py` implements the contract. The other modules follow the rule book: `card`, `state`, then
`alliances`, `placement`, `attacks` with their `table`, `scoring`, and `judging`, which calls them
in turn. `reading` and `checking` parse and check orders.
"""
