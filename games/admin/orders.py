"""The ledger and inbound mail in the admin, for staff who may read orders (games.permissions)."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Case, Q, QuerySet, When
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.text import Truncator, smart_split, unescape_string_literal

from games import permissions
from games.admin import columns, values
from games.admin.columns import GameFilter, PhaseFilter
from games.admin.rows import RowsOfGames, person_in_admin
from games.models import Game, Person, Phase, Sitting
from orders.models import Handling, Mail, Submission

#: The most characters of orders in a list.
LISTED = 120


@admin.register(Submission)
class SubmissionPage(RowsOfGames):
    """Submissions. Only readers of the orders see their text."""

    hidden = ("salt", "hash", "previous_hash")
    list_display = [
        "game",
        "number",
        "seat",
        "phase",
        "orders",
        "received_at",
        "channel",
        "state",
    ]
    list_filter = ["channel", "late", "counts", ("game", GameFilter)]
    list_filter += [("phase", PhaseFilter)]
    search_fields = ["seat__nation", "game__title"]
    list_select_related = ["game", "seat__game", "phase__game"]
    search_help_text = "Looks in nations, titles of games, and the orders that you may read here."

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Note which orders the person reads in the list (`readable`)."""
        rows = super().get_queryset(request)
        person = person_in_admin(request)
        if person is None:
            return rows
        read = Case(When(permissions.orders_read_in_lists(person), then=True), default=False)
        readable: QuerySet[Any] = rows.annotate(readable=read)
        return readable

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Find each word in a title, a nation or the text of orders that the person reads."""
        for part in smart_split(search_term):
            quoted = len(part) > 1 and part[0] == part[-1] and part[0] in "\"'"
            word = unescape_string_literal(part) if quoted else part
            found = Q(readable=True, text__icontains=word)
            for name in self.search_fields:
                found |= Q(**{f"{name}__icontains": word})
            queryset = queryset.filter(found)
        return queryset, False

    @admin.display(description="orders")
    def orders(self, row: Submission) -> str:
        if not getattr(row, "readable", False):
            return "withheld here"
        return Truncator(" / ".join(row.text.split("\n"))).chars(LISTED)

    @admin.display(description="state")
    def state(self, row: Submission) -> str:
        return columns.state_of(row)

    def rows_of(self, person: Person, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Leave out orders of others that a gamesmaster who plays may not know of yet."""
        own = Sitting.objects.current().filter(person=person)
        known = (
            ~Q(game__in=own.values("seat__game"))
            | Q(seat__in=own.values("seat"))
            | Q(phase__status=Phase.Status.RESOLVED)
            | Q(game__status__in=Game.Status.over())
        )
        return super().rows_of(person, rows).filter(known)

    def replacements(self, request: HttpRequest, row: Submission | None) -> dict[str, str]:
        """Return the fields to withhold: of a phase whose orders stay secret when it is judged, and
        from an operator."""
        if row is None or permissions.reads_orders(request.user, row):
            return {}
        return dict.fromkeys(("text", "understood", "remarks", "doubt"), "not_yours")

    @admin.display(description="orders")
    def not_yours(self, row: Submission) -> str:
        return (
            "Withheld until the phase is judged: until then their sender reads them, and a"
            " gamesmaster of the game who does not play. The desk asks further gamesmasters, and"
            " the public list of acts says so."
        )


WITHHELD = (
    "Withheld: what others write may be their orders, which only a gamesmaster of the game who does"
    " not play may know."
)


def _of_played(person: Person, game: str) -> Q:
    """Return the condition for rows of games that a person plays: how much others write is secret.

    The desk shows what waits for a gamesmaster.
    """
    own = Sitting.objects.current().filter(person=person).values("seat__game")
    return Q(**{f"{game}__in": own})


def _reads_mail(request: HttpRequest, handling: Handling | None) -> bool:
    """Return whether a person may read a message.

    There may be orders in a game's messages. Messages of no game are for administrators.
    """
    person = person_in_admin(request)
    if person is None:
        return False
    if handling is None or handling.game is None:
        return person.is_superuser
    return permissions.reads_mail(person, handling.game, handling.game.phases.current())


@admin.register(Handling)
class HandlingPage(RowsOfGames):
    """The outcome of each inbound message. Held messages are decided at the desk."""

    hidden = ("nonce", "token_hash", "claim", "claimed_until")
    list_display = ["mail", "status", "kind", "game", "person", "sender", "handled_at"]
    list_filter = ["status", "kind", ("game", GameFilter)]
    search_fields = ["sender", "person__email"]
    list_select_related = ["mail", "game", "person"]

    def rows_of(self, person: Person, rows: QuerySet[Any]) -> QuerySet[Any]:
        return super().rows_of(person, rows).exclude(_of_played(person, "game"))

    def replacements(self, request: HttpRequest, row: Handling | None) -> dict[str, str]:
        return (
            {}
            if row is None or _reads_mail(request, row)
            else {"outcome": "not_yours", "words": "not_yours_either"}
        )

    @admin.display(description="outcome")
    def not_yours(self, row: Handling) -> str:
        return WITHHELD

    @admin.display(description="words")
    def not_yours_either(self, row: Handling) -> str:
        return WITHHELD


@admin.register(Mail)
class MailPage(RowsOfGames):
    """Inbound messages as received: a game's for its gamesmasters, others for administrators."""

    game = "handling__game"
    hidden = ("raw",)
    list_display = ["pk", "way", "envelope_from", "received_at"]
    list_filter = ["way"]
    search_fields = ["envelope_from", "message_id"]
    date_hierarchy = "received_at"

    def rows_of(self, person: Person, rows: QuerySet[Any]) -> QuerySet[Any]:
        of_games = rows.filter(handling__game__gamesmasters=person)
        return of_games.exclude(_of_played(person, "handling__game"))

    def get_fields(self, request: HttpRequest, obj: Mail | None = None) -> list[Any]:
        # `raw` is hidden because its headers contain the key too.
        return [
            *super().get_fields(request, obj),
            "as_it_came",
        ]

    def replacements(self, request: HttpRequest, row: Mail | None) -> dict[str, str]:
        # The recipient address contains the sender's personal key.
        return {} if row is None else {"envelope_to": "key"}

    @admin.display(description="came to")
    def key(self, row: Mail) -> str:
        return (
            f"{len(row.envelope_to)} address{'' if len(row.envelope_to) == 1 else 'es'}, withheld:"
            " they hold a personal key."
        )

    @admin.display(description="as it came")
    def as_it_came(self, row: Mail) -> SafeString | str:
        return values.format_text(
            "Withheld here: a message holds its sender's key. Held ones can be read at the desk of"
            " the game."
        )
