"""The outbox with the state of each letter. Failed ones can be sent again."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import BigIntegerField, Q, QuerySet
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast
from django.http import HttpRequest

from games import desk, permissions
from games.base import clock
from games.models import Game, Letter, Person, Press, Sitting
from games.outbox.kinds import personal_kinds
from games.outbox.messages import deal_letters, press_letters
from games.outbox.rows import send_again
from games.rules.names import count_of

from . import values
from .columns import GameFilter
from .rows import RowsOfGames, person_in_admin, person_of


def games_with_open_press(person: Person) -> QuerySet[Game]:
    """Return the games in which a person who runs them reads the letters between nations."""
    own_seats = Sitting.objects.current().filter(person=person).values("seat__game")
    read_by_gamesmaster = Q(press__gamesmaster_reads=True) & ~Q(pk__in=own_seats)
    released = Q(press__released=True, status__in=Game.Status.over())
    return Game.objects.filter(read_by_gamesmaster | released)


def _listed_press(person: Person) -> QuerySet[Press]:
    """Return the signed letters between nations that a person who runs their game may read.

    The outbox has a row for each reader of a letter and none for its writer, so a list of the
    readers of an unsigned letter would tell who wrote it.
    """
    with_gamesmaster = Q(to_gamesmaster=True) | Q(seat=None)
    return Press.objects.filter(
        with_gamesmaster | Q(game__in=games_with_open_press(person)), signed=True
    )


#: What a letter's status means, and what can be done. `why`: the mail server's answer or ours.
_BECAME = {
    Letter.Status.QUEUED: "It waits to be sent, due {due}.",
    Letter.Status.SENDING: "It is being sent.",
    Letter.Status.DEFERRED: "It waits for the next try, due {due}{why}.",
    Letter.Status.SENT: (
        "The mail server took it, {sent}. If its reader has not found it, not even among the spam,"
        " it can be sent again."
    ),
    Letter.Status.FAILED: "It was given up{why}. It can be sent again.",
    Letter.Status.BOUNCED: (
        "It went out, {sent}, and came back{why}. If the address is right, it can be sent again."
    ),
    Letter.Status.DROPPED: "It was no longer to be sent{why}.",
    Letter.Status.PRINT: "It waits to be printed and posted, on the page “Paper” of the desk.",
    Letter.Status.POSTED: "It was posted, {sent}.",
}


@admin.register(Letter)
class LetterPage(RowsOfGames):
    """Letters. Those between nations are listed for their reader, and if the person may read them.

    Of an unsigned letter, each person sees only the row of their own copy.
    """

    # Numbers of rows, and what workers note; subject and text say what the letter is about.
    hidden = ("claim", "claimed_until", "key", "about", "html")
    list_display = [
        "kind",
        "address",
        "game",
        "status",
        "written_at",
        "due_at",
        "sent_at",
    ]
    list_filter = ["status", "kind", ("game", GameFilter)]
    search_fields = ["address", "person__name", "code"]
    list_select_related = ["game", "phase__game", "person"]
    actions = ["try_again"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        person = person_in_admin(request)
        if person is None:
            return rows
        rows = rows.alias(press_number=Cast(KeyTextTransform("press", "about"), BigIntegerField()))
        listed: QuerySet[Any] = rows.filter(
            ~Q(kind__in=(press_letters.PRESS.id, press_letters.QUESTION.id))
            | Q(person=person)
            | Q(press_number__in=_listed_press(person).values("pk"))
        )
        return listed

    def rows_of(self, person: Person, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Leave out deals that the person may not read: how many there are shows who bargains.

        And from a gamesmaster who plays, answers to what others have sent.
        """
        rows = super().rows_of(person, rows)
        open_games = games_with_open_press(person)
        played = Sitting.objects.current().filter(person=person).values("seat__game")
        return rows.filter(
            ~Q(kind__in=(deal_letters.PROPOSAL.id, deal_letters.ANSWERED.id))
            | Q(person=person)
            | Q(game__in=open_games)
        ).exclude(~Q(person=person), game__in=played, kind__in=personal_kinds())

    def replacements(self, request: HttpRequest, row: Letter | None) -> dict[str, str]:
        if row is None:
            return {}
        if row.secret:
            return {"text": "secret_text", "subject": "secret_text"}
        if permissions.reads_letter(request.user, row):
            return {}
        return {"text": "not_yours", "subject": "not_yours"}

    @admin.display(description="text")
    def secret_text(self, row: Letter) -> str:
        return "Withheld: this letter contains a personal link."

    @admin.display(description="text")
    def not_yours(self, row: Letter) -> str:
        return (
            "Withheld: this letter is private to its reader, and may show orders. A gamesmaster of"
            " the game who does not play reads it."
        )

    def get_fields(self, request: HttpRequest, obj: Letter | None = None) -> list[Any]:
        """Begin with what became of the letter, which is why people look it up."""
        return ["became", *super().get_fields(request, obj)]

    @admin.display(description="what became of it")
    def became(self, row: Letter) -> str:
        why = f": “{row.fault.strip().rstrip('.')}”" if row.fault else ""
        due, sent = values.moment(row.due_at), values.moment(row.sent_at)
        return _BECAME[Letter.Status(row.status)].format(due=due, sent=sent, why=why)

    @admin.action(description="Send the chosen letters again", permissions=["view"])
    def try_again(self, request: HttpRequest, rows: QuerySet[Letter]) -> None:
        """Put failed letters back into the outbox, due now, with all tries left; or one that went
        out, as people lose letters one at a time.

        Those of a game go the way of the desk, which notes who sent them again.
        """
        person, now = person_of(request), clock.now()
        chosen = Letter.objects.filter(pk__in=list(rows.values_list("pk", flat=True)))
        failed = chosen.filter(status__in=(Letter.Status.FAILED, Letter.Status.BOUNCED))
        if chosen.count() == 1:
            failed = chosen.filter(status__in=desk.SENT_AGAIN)
        of_games = list(failed.filter(game__isnull=False).select_related("game"))
        count = send_again(failed.filter(game=None), now)
        for letter in of_games:
            try:
                desk.send_again(letter, person, now)
            except desk.DeskError as error:
                messages.warning(request, str(error))
            else:
                count += 1
        if count:
            messages.success(
                request, f"{count_of(count, 'letter')} will be sent again with the next tick."
            )
        elif not of_games:
            messages.warning(
                request,
                "None of these letters failed. To send one again that went out, choose it alone.",
            )
