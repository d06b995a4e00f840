"""Tests of attacks and refusals (docs/security.md names each of them)."""
