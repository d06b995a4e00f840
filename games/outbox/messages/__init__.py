"""One function per message. Each is called in the transaction that causes the message and only
writes rows; the text comes from `games.letters`."""
