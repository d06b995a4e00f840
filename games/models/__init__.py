"""The record (docs/design.md 4)."""

from .access import AccessToken
from .classroom import PrintedCode, WrongCode
from .coded import Coded
from .deals import Proposal, ProposalAnswer
from .desk import Absence, Act, Call, Motion, Notebook, Ruling, Standby
from .evidence import Evidence, EvidenceError
from .feeds import Channel, Feed, Notice
from .game import Game
from .leased import Leased
from .letter import Letter, Mute, Outage, Pulse, ReplyAddress
from .market import Draw, Figure, Listing, MarketClosure, Reading
from .operator import Announcement, Barring, PersonNote, announced
from .people import Address, LoginKey, Person
from .phase import DeadlineChange, Phase, SessionChange
from .press import Block, Complaint, Press
from .record import RecordEntry, Resolution
from .report_file import ReportFile
from .safety import Erasure, RecoveryCode, SecondFactor, Tally
from .scenario import Scenario
from .seats import Invitation, Seat, Sitting
from .service import Restoration
