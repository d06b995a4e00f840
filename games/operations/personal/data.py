"""The personal data that the service keeps, model by model: what is exported, erased, and removed
when it is old. Readings, orders, results, rulings and letters between nations are the record of the
games, and are kept.
"""

from __future__ import annotations

from datetime import timedelta

from django.contrib.admin.models import LogEntry
from django.db.models import Q

from games import models
from games.models.evidence import ERASED
from orders.models import Draft, Handling, Mail, OrdersAhead, Signature, StockCheck, Submission

from .declaration import STAND_IN, Data, Erased, Old, Part

GAME_OVER = Q(seat__game__status__in=models.Game.Status.over())
#: Messages that a person must still decide about.
UNANSWERED = Q(handling=None) | Q(
    handling__status__in=(Handling.Status.WAITING, Handling.Status.HELD)
)

#: In the order of the export.
DATA = (
    Data(
        models.Person,
        (
            Part(
                "You",
                "pk",
                (
                    "email name zone telephone postal_address by_post receipts lock_letters"
                    " reminders plain_text thread_by_phase record_shown seen_on guest is_active"
                    " is_staff is_superuser joined_at last_login"
                ),
            ),
        ),
        kept="The row is emptied, because seats, orders and acts name it (erasure).",
    ),
    Data(
        models.Address,
        (Part("Your other addresses", "person", "email added_at confirmed_at removed_at"),),
        erased=(Erased(),),
    ),
    Data(
        models.LoginKey,
        (Part("Logins asked for", "person", "asked_at expires_at used_at wrong_codes next_page"),),
        erased=(Erased(),),
        old=Old("logins", "expires_at", limit="logins"),
    ),
    Data(
        models.SecondFactor,
        (Part("Your second factor", "person", "begun_at confirmed_at"),),
        erased=(Erased(),),
    ),
    Data(
        models.Feed,
        (Part("Your calendars", "person", "made_at ended_at"),),
        erased=(Erased(),),
        old=Old("calendars", "ended_at", limit="logins"),
    ),
    Data(
        models.AccessToken,
        (
            Part(
                "Your access tokens", "person", "label sends_orders made_at last_used_at revoked_at"
            ),
        ),
        erased=(Erased(),),
        old=Old("access tokens", "revoked_at", limit="logins"),
    ),
    Data(
        models.Sitting,
        (Part("Seats", "person", "seat since until ended_because spokesman telephone unread"),),
        erased=(Erased(values={"ended_because": "", "telephone": "", "unread": []}),),
        kept="Who sat where decides who may read what.",
    ),
    Data(
        models.Invitation,
        (
            Part(
                "Invitations to you, and from you",
                "accepted_by invited_by",
                "seat email name invited_at accepted_at withdrawn_at",
                address="email",
            ),
        ),
        erased=(Erased("accepted_by", address="email", values={"email": STAND_IN, "name": ""}),),
        kept=(
            "How a seat was taken is a fact of the game; open ones are withdrawn first (erasure)."
        ),
    ),
    Data(
        models.PrintedCode,
        (Part("Printed codes", "person made_by", "game made_at last_used_at revoked_at"),),
        erased=(Erased(),),
    ),
    Data(
        models.Absence,
        (Part("Absences", "person entered_by", "game first last entered_at withdrawn_at"),),
        erased=(Erased(),),
    ),
    Data(
        models.Standby,
        (Part("Standing by", "person", "game ruleset_id note since until"),),
        erased=(Erased(),),
    ),
    Data(
        models.ReplyAddress,
        (Part("Reply addresses", "person", "game made_at ended_at"),),
        erased=(Erased(),),
    ),
    Data(
        models.Block,
        (Part("People whom you blocked", "person", "press since"),),
        erased=(Erased(),),
        kept="Who is blocked is not told: only one's own are exported.",
    ),
    Data(
        models.Complaint,
        (
            Part(
                "Letters that you reported, or decided about",
                "person closed_by",
                "press made_at closed_at",
            ),
        ),
        erased=(Erased(values={"reason": ""}),),
        kept="What was decided about a letter is kept with it.",
    ),
    Data(
        models.PersonNote,
        (Part("Notes about people that you wrote", "writer", "text by_operator saved_at"),),
        erased=(
            Erased(name="notes"),
            Erased("writer", only=Q(by_operator=False), name="notes"),
        ),
        kept=(
            "Notes of operators about others. Notes about a person are not exported: the"
            " operator who is asked tells them."
        ),
    ),
    Data(
        models.Barring,
        (Part("People whom you barred", "made_by", "reason since until"),),
        erased=(
            Erased("", address="email", over="until", values={"email": STAND_IN, "reason": ""}),
        ),
        kept="A barring in force keeps out whom it bars.",
    ),
    Data(
        models.Announcement,
        (Part("Announcements that you made", "made_by", "text since until"),),
        kept="They speak for the service.",
    ),
    Data(
        models.Mute, (Part("Letters not wanted", "person", "game since until"),), erased=(Erased(),)
    ),
    Data(
        Submission,
        (
            Part(
                "Orders",
                "person entered_by",
                (
                    "seat seat_number phase received_at written_at channel text remarks doubt final"
                    " late counts proposal posted_on hash"
                ),
            ),
        ),
        kept="Orders are the record of a game, as sent.",
    ),
    Data(
        models.Notebook,
        (Part("Notebooks", "person", "game text opens saved_at"),),
        erased=(Erased(),),
    ),
    Data(
        Draft,
        (Part("Orders not sent", "person", "seat phase text kept_at"),),
        erased=(Erased(),),
        old=Old("drafts", only=GAME_OVER),
    ),
    Data(
        OrdersAhead,
        (Part("Orders for later phases", "person", "seat turn kind text kept_at"),),
        erased=(Erased(),),
        old=Old("orders ahead", only=GAME_OVER),
    ),
    Data(
        models.Press,
        (
            Part(
                "Letters to other nations",
                "person",
                "game code seat to to_all to_gamesmaster signed text channel sent_at",
            ),
        ),
        erased=(Erased(values={"text": ERASED}, name="press", if_asked=True),),
        kept="Letters stay with their recipients unless the person asks for more.",
    ),
    Data(
        models.Letter,
        (
            Part(
                "Letters to you",
                "person",
                "kind game address status written_at sent_at subject text",
                address="address",
            ),
        ),
        old=Old(
            "letters",
            "written_at",
            limit="letters",
            only=Q(due_at=None) & ~Q(text="") & ~Q(status=models.Letter.Status.PRINT),
            values={"subject": "", "text": "", "html": ""},
        ),
        kept=(
            "Their text and address are emptied, and what others' letters say of the person"
            " (erasure). A page renders an old letter again from the record."
        ),
    ),
    Data(
        Handling,
        (
            Part(
                "Mail from you, and mail about which you decided",
                "person decided_by",
                "mail status kind game sender handled_at",
                address="sender",
            ),
        ),
        kept="Sender and words are emptied; what waits is refused (erasure).",
    ),
    Data(
        models.ReportFile,
        (Part("Files with reports", "person", "phase name added_at"),),
        kept="A report is the record of a game.",
    ),
    Data(
        models.Call,
        (Part("Calls", "person made_by", "seat outcome note made_at"),),
        erased=(Erased(values={"note": ""}),),
        kept="That there was a call is the record of a game.",
    ),
    Data(
        models.Scenario,
        (
            Part(
                "Scenarios",
                "owner",
                "title name ruleset_id card shared made_at changed_at removed_at",
            ),
        ),
        erased=(Erased("owner", only=Q(shared=False)),),
        kept="Shared scenarios stay, because others play with them.",
    ),
    Data(
        models.Game,
        (
            Part(
                "Games that you run",
                "gamesmasters",
                "title ruleset_id status opened_at started_at finished_at",
            ),
            Part(
                "Games that you opened, others' since then too", "opened_by", "ruleset_id opened_at"
            ),
        ),
        kept="The record of a game belongs to all who played it.",
    ),
    Data(
        models.Ruling,
        (Part("Rulings", "made_by", "game number words reason made_at"),),
        kept="The record of a game.",
    ),
    Data(
        models.Act,
        (Part("What you did at a desk", "done_by", "game kind words reason done_at"),),
        kept="The record of a game.",
    ),
    Data(
        models.DeadlineChange,
        (Part("Deadlines that you moved", "changed_by", "phase old new reason changed_at"),),
        kept="The record of a game.",
    ),
    Data(
        models.SessionChange,
        (Part("Sessions that you changed", "changed_by", "phase old new reason changed_at"),),
        kept="The record of a game.",
    ),
    Data(
        models.MarketClosure,
        (
            Part(
                "Days without trading",
                "entered_by removed_by",
                "exchange day reason entered_at removed_at removed_because",
            ),
        ),
        kept="Evidence for the digits of every game.",
    ),
    Data(
        models.Reading,
        (
            Part(
                "Figures that you typed in",
                "entered_by",
                "game session symbol volume read_at detail",
            ),
        ),
        kept="Evidence for the digits of every game.",
    ),
    Data(
        models.Channel,
        (
            Part(
                "Webhooks that you added", "added_by person", "game kind label added_at removed_at"
            ),
        ),
        erased=(Erased(),),
        kept="A game's own webhooks stay with it.",
    ),
    Data(
        models.Restoration,
        (
            Part(
                "Copies of the service that you let go on",
                "released_by",
                "taken_at restored_at released_at",
            ),
        ),
        kept="The history of the service.",
    ),
    Data(
        models.Proposal,
        (Part("Deals that you proposed", "person", "seat to number phase text channel made_at"),),
        kept="Deals are the record of a game.",
    ),
    Data(
        models.ProposalAnswer,
        (Part("Deals that you answered", "person", "proposal kind channel made_at"),),
        kept="Deals are the record of a game.",
    ),
    Data(
        models.Erasure,
        (Part("Erasures", "person asked_by", "erased_at press rows"),),
        kept="It shows that the person was erased.",
    ),
    Data(
        LogEntry,
        (Part("What you changed in the admin", "user", "action_time object_repr change_message"),),
        kept="What it says about the person themselves is emptied (erasure).",
    ),
    Data(
        Mail,
        old=Old(
            "mail",
            "received_at",
            limit="mail",
            only=~UNANSWERED & ~Q(raw=b""),
            values={"raw": b"", "envelope_to": []},
        ),
        kept="Exported as files, and emptied, if the person wrote it (export, erasure).",
    ),
    Data(models.WrongCode, old=Old("wrong codes", "tried_at", age=timedelta(days=1))),
    Data(models.Notice, old=Old("notices", "written_at", limit="notices", only=Q(due_at=None))),
    Data(models.Seat, kept="People's seats are exported as sittings."),
    Data(models.RecoveryCode, kept="Deleted with the second factor."),
)
#: Models whose rows say nothing about people: the record of games, and the service's own state.
IMPERSONAL = (
    models.Phase,
    models.Resolution,
    models.RecordEntry,
    models.Motion,
    models.Pulse,
    models.Outage,
    models.Figure,
    models.Draw,
    models.Listing,
    models.Tally,
    StockCheck,
    Signature,
)
