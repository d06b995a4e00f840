"""What comes by mail. Reading it (message, bodies, quoting, commands, hygiene, trust) needs no
database and can be run on anything."""
