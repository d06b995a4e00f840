"""Origins of World War II (James F. Dunnigan, 1971), by mail.

`ruleset.py` implements the contract. The other modules follow the rule book: `card`, `state`, then
`placement`, `attacks` with its `table`, `counters`, `scoring`. `reading` and `checking` parse and
check orders.
"""
