"""Origins of World War II (James F. Dunnigan, 1971), by mail. `ruleset.py` answers for it; the rest
reads like the rule book: `card`, `state`, then `placement`, `attacks` with its `table`, `counters`,
`scoring`; `reading` and `checking` take in orders.
"""
