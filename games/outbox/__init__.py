"""The outbox: who gets a letter, and one function per message that writes its rows."""
