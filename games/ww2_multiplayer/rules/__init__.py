"""World War II, Multi-Player rules (Allen and Boardman) as a refereed campaign.

See `ruleset.py`, and docs/refereed.md.

Half of the printed rules are in a base game that the service does not have: map, combat, supply,
set-up, tracks. So the gamesmaster plays out the map and writes in a report what became of each
order line and what happened. Everything else is computed here from the orders, the reports and the
digits. The modules follow the rule book; each cites the printed cases.
"""
