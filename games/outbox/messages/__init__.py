"""One function per message. Each is called inside the transaction that causes it and writes rows,
nothing else; what they say is in `games.letters`."""
