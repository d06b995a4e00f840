"""The record (docs/design.md 4)."""

from .desk import Absence, Act, Call, Ruling, Standby
from .evidence import Evidence, EvidenceError
from .game import Game, Invitation, Seat, Sitting
from .letter import Letter, Mute, Pulse, ReplyAddress
from .market import Draw, Figure, Listing, MarketClosure, Reading
from .people import Address, LoginKey, Person
from .phase import DeadlineChange, Phase, Resolution, SessionChange
from .press import Press

__all__ = [
    "Absence",
    "Act",
    "Address",
    "Call",
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
    "Mute",
    "Person",
    "Phase",
    "Press",
    "Pulse",
    "Reading",
    "ReplyAddress",
    "Resolution",
    "Ruling",
    "Seat",
    "SessionChange",
    "Sitting",
    "Standby",
]
