"""Build the context of letters to a person: a login token, an invitation, an undelivered letter,
a webhook that no longer answers."""

from __future__ import annotations

from datetime import datetime

from games import positions
from games.accounts import tokens
from games.base import links, text
from games.models import Act, Channel, Game, Invitation, Letter, LoginKey, people
from games.outbox.messages import KINDS, account_letters, desk_letters
from games.rules.names import all_of
from games.seats import pairs, teams
from games.timing import schedule

from . import play
from .common import provenance
from .context import Context, Facts, builds, outdated
from .teams import HOW, names


@builds(account_letters.LOGIN)
def _login(context: Context) -> Facts:
    key = LoginKey.objects.get(pk=context.about["login"])
    return {
        "link": links.link("login-link", tokens.login_token(key)),
        "code": tokens.login_code(key),
        "expires": context.describe_instant(key.expires_at),
        "minutes": int(tokens.LOGIN_LASTS.total_seconds() // 60),
    }


@outdated(account_letters.LOGIN)
def _login_outdated(letter: Letter, now: datetime) -> str:
    key = LoginKey.objects.filter(pk=letter.about["login"], used_at=None, expires_at__gt=now)
    return "" if key.exists() else "The login ran out before the letter could be sent."


@builds(account_letters.INVITATION)
def _invitation(context: Context) -> Facts:
    inv = Invitation.objects.select_related("seat__game", "invited_by").get(
        pk=context.about["invitation"]
    )
    game, nation = inv.seat.game, inv.seat.nation
    commanded = play.other_powers(game, game.load(positions.start_position(game)), nation)
    return {
        "nation": nation,
        "nations": all_of([*pairs.offered_nations(inv.seat), *commanded]),
        "to_be_dealt": (
            " ".join(pairs.pending_lots(game)) if game.status == Game.Status.FORMING else ""
        ),
        "in_team": HOW[teams.option(game)] if inv.seat.team else "",
        "teammates": names(inv.seat) if inv.seat.team and not game.anonymous else "",
        "inviter": people.who(inv.invited_by) or "The gamesmaster",
        "link": links.link("invitation", tokens.invitation_token(inv)),
        "calendar": schedule.in_words(game.schedule, game.zone),
        "expires": context.describe_instant(tokens.invitation_ends(inv.invited_at)),
        "card_title": game.card.get("title", ""),
        **provenance(game),
    }


@outdated(account_letters.INVITATION)
def _invitation_outdated(letter: Letter, now: datetime) -> str:
    inv = Invitation.objects.filter(pk=letter.about["invitation"]).exclude(withdrawn_at=None)
    return "The invitation was withdrawn before the letter could be sent." if inv.exists() else ""


@builds(desk_letters.RUNS)
def _gamesmaster_facts(context: Context) -> Facts:
    act = Act.objects.select_related("done_by").get(pk=context.about["act"])
    return {
        "inviter": people.who(act.done_by) or "The gamesmaster",
        "hands_over": act.about["hands_over"],
        "link": links.link("run-game", tokens.request_token(act)),
        "expires": context.describe_instant(tokens.invitation_ends(act.done_at)),
    }


@builds(account_letters.UNDELIVERED)
def _undelivered_facts(context: Context) -> Facts:
    lost = Letter.objects.select_related("person").get(pk=context.about["letter"])
    return {
        "address": lost.address,
        "whose": people.who(lost.person),
        "lost": KINDS[lost.kind].name,
        "written": context.describe_instant(lost.written_at),
        "fault": text.one_line(lost.fault),
    }


@builds(account_letters.CHANNEL, account_letters.WEBHOOK)
def _lost_channel_facts(context: Context) -> Facts:
    """Return the context about a webhook that was given up, without its secret address."""
    channel = Channel.objects.select_related("game").get(pk=context.about["channel"])
    return {
        "label": text.one_line(channel.label),
        "program": channel.get_kind_display(),
        "added": context.describe_instant(channel.added_at),
        "because": text.one_line(channel.removed_because),
        "link": (
            f"{links.link('me')}#webhooks"
            if channel.game is None
            else links.link("desk-channels", channel.game_id)
        ),
    }
