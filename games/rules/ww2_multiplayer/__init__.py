"""World War II, Multi-Player rules (Allen and Boardman) as a refereed campaign: see `ruleset.py`,
and docs/design.md, "Refereed games".

Half of the printed rules stand in a base game that the service does not have: map, combat, supply,
set-up, tracks. So the gamesmaster plays out the map and says in a *sheet* what came of each order
line and what happened; everything else is worked out here from the orders, his sheets and the
digits. The modules read like the rule book; each cites the printed cases.
"""
