"""Transports for inbound mail: LMTP, IMAP, a provider's webhook."""
