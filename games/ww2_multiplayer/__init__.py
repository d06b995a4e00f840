"""World War II Multi-Player, a guest among the games (docs/refereed.md).

It has its rules and all that no other game needs. Nothing imports it: `games.rules.registry` names
it, and each layer takes the module that the guest has for it.
"""
