"""Tests that try what nobody may do (docs/security.md names each of them)."""
