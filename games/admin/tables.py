"""Tables that the admin only shows: which columns, filters and fields, of which models.

Pages with behavior of their own are classes, in the other modules of this package. Drafts of orders
have no page: they are not part of the record, and only their writer reads them
(games.permissions.reads_draft).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.contrib import admin
from django.db.models import Model

from games import models
from orders.models import StockCheck

from .columns import GameFilter, PhaseFilter
from .rows import RowsOfGames

Filter = str | tuple[str, type[admin.FieldListFilter]]


class Table(NamedTuple):
    """The rows of a model, read-only; `game` and `hidden` are those of `RowsOfGames`.

    Names have spaces between them.
    """

    model: type[Model]
    columns: str
    game: str | None = "game"
    hidden: str = ""
    filters: Sequence[Filter] = ()
    search: str = ""
    #: Relations that the columns read.
    related: str = ""
    #: The field by whose dates the rows can be chosen.
    dates: str | None = None


def of(relation: str) -> Filter:
    """Filter by the game at the end of this path."""
    return relation, GameFilter


def empty(field: str) -> Filter:
    """Filter by whether a field is empty."""
    return field, admin.EmptyFieldListFilter


IN_PHASE: Filter = ("phase", PhaseFilter)

TABLES = (
    # Files of a referee's reports; their contents are on the report's page.
    Table(
        models.ReportFile,
        "phase name media_type person added_at",
        game="phase__game",
        hidden="content",
        related="phase__game person",
    ),
    Table(
        models.Act,
        "kind game phase words reason private done_by done_at",
        hidden="about",
        filters=["kind", "private", of("game"), IN_PHASE],
        search="words reason game__title",
        related="game phase__game done_by",
    ),
    Table(
        models.Motion,
        "game phase kind nation nations opened_at due_at outcome",
        filters=["kind", "outcome", of("game")],
        related="game phase__game",
    ),
    Table(
        models.Absence,
        "game person first last entered_by entered_at withdrawn_at",
        filters=[of("game")],
        search="person__email person__name",
        related="game person entered_by",
    ),
    # Notebooks, without their text, which only the writer reads.
    Table(
        models.Notebook,
        "person game opens saved_at",
        game=None,
        hidden="text",
        search="person__name game__title",
        related="person game",
    ),
    Table(
        models.Standby,
        "person game ruleset_id note since until",
        filters=[empty("until"), of("game")],
        search="person__email person__name note",
        related="person game",
    ),
    Table(
        models.Call,
        "phase seat person outcome made_by made_at",
        game="phase__game",
        filters=["outcome", of("phase__game")],
        search="seat__nation note",
        related="phase__game seat__game person made_by",
    ),
    Table(
        models.ProposalAnswer, "proposal kind made_at", game=None, related="proposal__seat__game"
    ),
    # Further addresses of people: only for administrators, like accounts.
    Table(
        models.Address,
        "person email added_at confirmed_at removed_at",
        game=None,
        hidden="nonce token_hash",
        search="person__email email",
        related="person",
    ),
    # Reply addresses, with the times they were made and ended; the database has only hashes.
    Table(
        models.ReplyAddress,
        "person game made_at ended_at",
        hidden="nonce token_hash",
        filters=[of("game")],
        search="person__email",
        related="person game",
    ),
    # Blocks: only for administrators, because the blocked person is not told.
    Table(models.Block, "person blocked since", game=None, related="person blocked"),
    # Reported letters. They are read and closed on the page “Reported letters”.
    Table(
        models.Complaint,
        "press person made_at closed_at closed_by",
        game=None,
        filters=[empty("closed_at")],
        related="press__game person closed_by",
    ),
    Table(
        models.Mute,
        "person game since until",
        filters=[of("game")],
        search="person__email",
        related="person game",
    ),
    Table(
        models.Figure,
        "symbol volume phase reason settled_at",
        game="phase__game",
        filters=[of("phase__game"), IN_PHASE],
        search="symbol",
        related="phase__game",
    ),
    Table(
        models.Draw,
        "phase nation area figure digit drawn_at",
        game="phase__game",
        filters=[of("phase__game"), IN_PHASE, "digit"],
        search="nation area figure__symbol",
        related="phase__game figure",
    ),
    Table(
        models.DeadlineChange,
        "phase old new reason changed_by changed_at",
        game="phase__game",
        filters=[of("phase__game")],
        search="reason",
        related="phase__game changed_by",
    ),
    # Looked-up stocks: only for administrators, because a row shows that a person named it.
    Table(
        models.Listing,
        "symbol verdict exchange instrument median_volume checked_at",
        game=None,
        filters=["verdict", "source"],
        search="symbol",
    ),
    Table(
        models.SessionChange,
        "phase old new reason changed_by changed_at",
        game="phase__game",
        filters=[of("phase__game")],
        search="reason",
        related="phase__game changed_by",
    ),
    # Scenarios that people have typed in, for their owners; a game has its own copy.
    Table(
        models.Scenario,
        "title name owner shared fault changed_at removed_at",
        game=None,
        filters=["shared", "ruleset_id"],
        search="title name owner__email",
        related="owner",
    ),
    # Printed codes, to explain why one does not work. The class page revokes them.
    Table(
        models.PrintedCode,
        "person game made_at last_used_at revoked_at",
        hidden="nonce code_hash",
        filters=[of("game"), empty("revoked_at")],
        search="person__name game__title",
        related="person game",
    ),
    Table(models.WrongCode, "pk tried_at", game=None, hidden="origin_hash", dates="tried_at"),
    # Calendar feeds of people. The rows do not contain their addresses.
    Table(
        models.Feed,
        "person made_at ended_at",
        game=None,
        hidden="nonce token_hash",
        search="person__email",
        related="person",
    ),
    # Access tokens of people. The rows do not contain the tokens; owners revoke them.
    Table(
        models.AccessToken,
        "person label sends_orders made_at last_used_at revoked_at",
        game=None,
        hidden="token_hash",
        filters=["sends_orders", empty("revoked_at")],
        search="person__email label",
        related="person",
    ),
    # Webhooks of games and people, without addresses: an address lets its holder write there.
    Table(
        models.Channel,
        "label kind game person added_by added_at removed_at",
        hidden="url nonce",
        filters=["kind", of("game")],
        search="label game__title",
        related="game person added_by",
    ),
    # The outbox of channels.
    Table(
        models.Notice,
        "key channel status attempts written_at due_at sent_at",
        game="channel__game",
        hidden="claim",
        filters=["status", of("channel__game")],
        search="key channel__label",
        related="channel__game channel__person",
    ),
    Table(models.Pulse, "name at", game=None),
    Table(models.Outage, "way since until credited_at", game=None, filters=["way"]),
    # The queue of stocks to look up.
    # The stocks are part of nations' orders.
    Table(
        StockCheck,
        "submission due_at claimed_until",
        game=None,
        hidden="symbol",
        related="submission__seat__game",
    ),
    # Logins, for people whose letter never came. The rows do not contain the links.
    Table(
        models.LoginKey,
        "person asked_at expires_at used_at",
        game=None,
        hidden="nonce token_hash code_hash",
        search="person__email",
        related="person",
    ),
    # Counters of tries, under a keyed hash of who tried; deleted after their time.
    Table(models.Tally, "what since number", game=None, hidden="whose", filters=["what"]),
    # People's second factors. Owners end them, or `manage.py second_factor --end ADDRESS`.
    Table(
        models.SecondFactor,
        "person begun_at confirmed_at",
        game=None,
        hidden="nonce last_step",
        related="person",
    ),
    Table(
        models.RecoveryCode,
        "factor used_at",
        game=None,
        hidden="code_hash",
        related="factor__person",
    ),
    Table(models.Erasure, "person erased_at press", game=None, related="person"),
    # Restores of the service. It resumes with `manage.py resume` (docs/operations.md).
    Table(
        models.Restoration,
        "restored_at taken_at released_at released_by",
        game=None,
        related="released_by",
    ),
)


def page(table: Table) -> type[RowsOfGames]:
    """Return the page of a table."""
    options: dict[str, Any] = {
        "game": table.game,
        "hidden": tuple(table.hidden.split()),
        "list_display": table.columns.split(),
        "list_filter": table.filters,
        "search_fields": table.search.split(),
        "list_select_related": table.related.split(),
        "date_hierarchy": table.dates,
    }
    return type(f"{table.model.__name__}Page", (RowsOfGames,), options)


for shown in TABLES:
    admin.site.register(shown.model, page(shown))
