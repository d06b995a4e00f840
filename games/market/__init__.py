"""The market: which session decides, when its sales are read, and which figures they settle to
(docs/design.md 6).

Importing this package loads neither pandas nor yfinance: the first reading does.
"""

from games.market.report import Report
from games.rules.sessions import DEMO, Session

from .announcing import Announced, announcement
from .asking import SECONDS_TO_ASK, SLOW, Requests, witness
from .entered import enter_figure, enter_no_report
from .errors import MarketError, SessionChanged, Unsettled
from .policy import describe_policy, fix_session, limits_in_words, policy_for, policy_of, session_of
from .readings import Figures, Observation, observe_all
from .rolls import (
    COMMIT_REVEAL,
    GM_DICE,
    choose_seed,
    enter_rolls,
    entered_rolls,
    figures_from_rolls,
    place_of,
    sales_decide,
    seed_of,
)
from .sessions import (
    basis,
    closed_days,
    closures,
    exchange_of,
    is_session_day,
    session_basis,
    session_for,
)
from .sources import source_for
from .waiting import Wait, is_late, waits
