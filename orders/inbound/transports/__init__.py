"""The ways in for mail: LMTP, IMAP, a provider's webhook."""
