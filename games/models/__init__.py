"""The record (docs/design.md 4)."""

from .evidence import Evidence, EvidenceError
from .game import Game, Invitation, Seat, Sitting
from .letter import Letter, Pulse
from .market import Draw, Figure, Listing, MarketClosure, Reading
from .people import LoginKey, Person
from .phase import DeadlineChange, Phase, Resolution, SessionChange

__all__ = [
    "DeadlineChange",
    "Draw",
    "Evidence",
    "EvidenceError",
    "Figure",
    "Game",
    "Invitation",
    "Letter",
    "Listing",
    "LoginKey",
    "MarketClosure",
    "Person",
    "Phase",
    "Pulse",
    "Reading",
    "Resolution",
    "Seat",
    "SessionChange",
    "Sitting",
]
