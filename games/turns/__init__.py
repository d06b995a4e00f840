"""The state machine of a phase: the only code that moves one (docs/design.md 5)."""
