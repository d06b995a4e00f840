"""Letters to a person: the key to log in, an invitation, a letter that came back."""

from __future__ import annotations

from games import positions
from games.accounts import tokens
from games.models import Act, Game, Invitation, Letter, LoginKey, Seat, people
from games.rules.names import all_of
from games.seats import pairs, teams
from games.timing import schedule
from gamesmaster import links, text

from . import play
from .common import provenance
from .context import Build, Context, Facts
from .names import NAMES
from .teams import HOW


def _login(context: Context) -> Facts:
    key = LoginKey.objects.get(pk=context.about["login"])
    return {
        "link": links.link("login-link", tokens.login_token(key)),
        "code": tokens.login_code(key),
        "expires": context.in_words(key.expires_at),
        "minutes": int(tokens.LOGIN_LASTS.total_seconds() // 60),
    }


def _with_it(seat: Seat) -> list[str]:
    """Return the powers that a power's player commands with it in a refereed game."""
    game = seat.game
    if not game.rules.referee:
        return []
    return play.with_it(game, game.load(positions.start_position(game)), seat.nation)


def _invitation(context: Context) -> Facts:
    inv = Invitation.objects.select_related("seat__game", "invited_by").get(
        pk=context.about["invitation"]
    )
    game = inv.seat.game
    return {
        "nation": inv.seat.nation,
        "nations": all_of([*pairs.nations_offered(inv.seat), *_with_it(inv.seat)]),
        "to_be_dealt": (
            " ".join(pairs.pending_lots(game)) if game.status == Game.Status.FORMING else ""
        ),
        "in_team": HOW[teams.option(game)] if inv.seat.team else "",
        "inviter": text.one_line(inv.invited_by),
        "link": links.link("invitation", tokens.invitation_token(inv)),
        "calendar": schedule.in_words(game.schedule, game.zone),
        "expires": context.in_words(inv.invited_at + tokens.INVITATION_LASTS),
        "card_title": game.card.get("title", ""),
        **provenance(game),
    }


def _runs(context: Context) -> Facts:
    act = Act.objects.select_related("done_by").get(pk=context.about["act"])
    return {
        "inviter": people.who(act.done_by) or "The gamesmaster",
        "hands_over": act.about["hands_over"],
        "link": links.link("run-game", tokens.request_token(act.pk)),
        "expires": context.in_words(act.done_at + tokens.INVITATION_LASTS),
    }


def _undelivered(context: Context) -> Facts:
    lost = Letter.objects.select_related("person").get(pk=context.about["letter"])
    return {
        "address": lost.address,
        "whose": people.who(lost.person),
        "lost": NAMES.get(lost.kind, "a letter"),
        "written": context.in_words(lost.written_at),
        "fault": text.one_line(lost.fault),
    }


BUILDERS: dict[str, Build] = {
    "login": _login,
    "invitation": _invitation,
    "runs": _runs,
    "undelivered": _undelivered,
}
