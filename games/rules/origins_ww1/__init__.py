"""Origins of World War I (James F. Dunnigan; in Sid Sackson, A Gamut of Games, 1969), by mail.

`ruleset.py` implements the contract. The other modules follow the rule book: `card`, `state`, then
`alliances`, `placement`, `attacks` with their `table`, `scoring`, and `judging`, which calls them
in turn. `reading` and `checking` parse and check orders.

Where the rules are silent or disagree:

- `MIN` and further attack lines mean something only where attacks are written before the board is
  known (`one_deadline`). Elsewhere `MIN` cannot be parsed, and a second attack is void.
- Alternatives are one attack: they may name the same stocks, and once a die is thrown the others
  lapse without an event.
- A nation leaves an alliance before anybody makes a new one in that phase.
- Where alliances are secret, a forbidden attack on an ally has no event, because any event would
  tell everybody; the nation was warned when it sent the line.
- Where nations move in turn, an offer of an alliance is part of the position: it waits for an
  answer over other nations' phases, and only its maker's view has it until then.
- `wwi.overplaced` = reject_all: too much in one area rejects all lines, as too much in all does
  (A3). `wwi.bonus_time` = ever: treaty rights count once a nation places them, even if an attack of
  the same phase ends them. A ruled point counts in Britain's test (A6).
"""
