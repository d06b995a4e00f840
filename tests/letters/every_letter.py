"""Write one letter of every kind by the event that causes it, in games that are the same every
time; for snapshots and for reading.

letters = stage()
letters["reminder"]         # several letters of a kind have suffixes: "opened-gamesmaster"
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from unittest.mock import patch

from django.test import override_settings

from games import desk, market, tasks
from games.accounts import tokens
from games.desk import addresses as desk_addresses
from games.desk import closure_evidence, closures
from games.models import (
    Channel,
    Figure,
    Game,
    Letter,
    Listing,
    Person,
    Phase,
    Press,
    ProposalAnswer,
    Reading,
    Restoration,
)
from games.operations import restore_hold
from games.outbox import subscriptions
from games.outbox.messages import (
    account_letters,
    closure_letters,
    game_letters,
    reply_letters,
    restoration_letters,
)
from games.outbox.outgoing import Outgoing
from games.press import complaints, conversations, deals
from games.rules import registry
from games.turns import deadlines, rulings
from orders.intake import telephone
from orders.models import Handling
from tests.inbound.writing import send
from tests.support import teams
from tests.support.campaign import NATIONS, PLAYERS, Campaign, person
from tests.support.letters import PUT_AWAY
from tests.support.opening import open_game
from tests.support.staging import ZONES
from tests.ww2_multiplayer.campaign import Refereed

FRIDAYS = {"every": "weekday", "weekday": "friday", "weeks": 2, "time": "09:00"}
#: Settings that the letters are rendered with, equal on every machine.
SETTINGS: dict[str, Any] = {
    "MAIL_IN": True,
    "MAIL_UNPROVEN": "confirm",
    "MAIL_DOMAIN": "games.test",
    "MAIL_REPLY": "orders@games.test",
}


class Missing(AssertionError):
    """A letter that should have been written is missing."""


def stage() -> dict[str, Letter]:
    """Return the letters by name. Requires an empty database."""
    # Tests write the letters that are returned. To write and send all of them before, with
    # pictures, would only take time.
    put_away = patch.dict(tasks.JOBS, {"letters": PUT_AWAY})
    with override_settings(**SETTINGS, MAIL_PICTURES=False), put_away:
        for name in PLAYERS.values():
            Person.objects.filter(pk=person(name).pk).update(
                zone=ZONES[name], telephone="+44 20 7946 0321" if name == "bea" else ""
            )
        Person.objects.filter(pk=person("ada").pk).update(zone="Europe/London")
        letters_by_name = _lights()
        letters_by_name |= _people()
        letters_by_name |= _team()
        letters_by_name |= _market()
        letters_by_name |= _dice()
        letters_by_name |= _left()
        letters_by_name |= _mail()
        letters_by_name |= _restored()
        if registry.GUESTS:
            letters_by_name |= _refereed()
        return letters_by_name


def newest(kind: str, name: str, game: Game | None = None) -> Letter:
    rows = Letter.objects.filter(kind=kind, address=f"{name}@example.org").select_related(
        "game", "phase", "person"
    )
    letter = (rows.filter(game=game) if game else rows).order_by("-pk").first()
    if letter is None:
        raise Missing(f"nobody wrote a letter of kind {kind} to {name}")
    return letter


def _lights() -> dict[str, Letter]:
    """Return the letters of an ordinary game, from its first letter to a ruling and to its end."""
    campaign = Campaign.open(schedule=FRIDAYS, title="The lights go out")
    letters_by_name = {
        "invitation": Letter.objects.filter(kind="invitation", game=campaign.game).order_by("pk")[0]
    }
    desk.start(campaign.game, campaign.now)
    campaign.game.refresh_from_db()
    game, ada = campaign.game, campaign.ada
    letters_by_name |= {
        "begins": newest("begins", "gustav"),
        "opened": newest("opened", "gustav"),
        "opened-gamesmaster": newest("opened", "ada"),
    }
    account_letters.login(tokens.new_login(person("una"), "/", campaign.now), campaign.now)
    letters_by_name["login"] = newest("login", "una")
    campaign.order("Germany", "PLACE 10 Poland\nPLACE 2 Austra\nFROM HOME 3 Austria")
    letters_by_name["receipt"] = newest("receipt", "gustav")
    campaign.order("France", "PLACE 6 Poland")
    russia, heard = campaign.seat("Russia"), dict[str, Any](caller=person("rosa"), heard="")
    telephone.take_down(russia, "PLACE 4 Poland", ada, campaign.now, read_back=False, **heard)
    letters_by_name["receipt-telephone"] = newest("receipt", "rosa")
    game_letters.reminder(campaign.phase, [campaign.seat("Britain")], campaign.now, again=True)
    letters_by_name["reminder"] = newest("reminder", "bea")
    later = campaign.phase.deadline + timedelta(days=3)
    desk.extend(campaign.phase, later, "The post is slow.", ada, campaign.now)
    letters_by_name |= {
        "moved": newest("moved", "gustav"),
        "moved-gamesmaster": newest("moved", "ada"),
    }
    campaign.pass_deadline()
    letters_by_name |= {
        "board": newest("board", "gustav"),
        "board-gamesmaster": newest("board", "ada"),
    }
    campaign.order("Germany", "ATTACK Poland: France STOCK GE\nUNDERSTANDING Russia")
    campaign.order("France", "ATTACK Poland: Germany STOCK XOM")
    listing = Listing.objects.create(
        symbol="GE", source="yahoo", verdict="unknown", checked_at=campaign.now
    )
    game_letters.stock(
        campaign.phase.submissions.filter(seat__nation="Germany")[0], listing, campaign.now
    )
    letters_by_name["stock"] = newest("stock", "gustav")
    attacks = campaign.pass_deadline()
    letters_by_name |= {
        "locked": newest("locked", "gustav"),
        "board-attacks": newest("board", "gustav"),
    }
    points = {"nation": "Russia", "points": 2}
    rulings.rule(attacks, "points", points, "A forfeit agreed on at the table.", ada, campaign.now)
    letters_by_name |= {
        "ruled": newest("ruled", "gustav"),
        "ruled-gamesmaster": newest("ruled", "ada"),
    }
    phase = campaign.phase
    phase.fault = "5 tries failed, the last with TimeoutError: the database did not answer"
    with Outgoing([phase.game]) as out:
        game_letters.report_hold(phase, campaign.now, out)
    letters_by_name["held"] = newest("held", "ada")
    lost = campaign.letters("receipt", "felix")[0]
    Letter.objects.filter(pk=lost.pk).update(
        status="failed", fault="550 5.1.1 <felix@example.org>: no such user here"
    )
    account_letters.report_undelivered(lost, campaign.now)
    letters_by_name["undelivered"] = newest("undelivered", "ada")
    letters_by_name |= _press(campaign)
    channel = Channel.objects.create(
        game=game, kind="discord", url="", label="The café", added_by=ada, added_at=campaign.now
    )
    channel.removed_because = "The channel is not there any more: it answered with 404."
    channel.removed_at = campaign.now
    channel.save()
    account_letters.report_lost_channel(channel, campaign.now)
    letters_by_name["channel"] = newest("channel", "ada")
    of_gustav = Channel.objects.create(
        person=person("gustav"),
        kind="json",
        url="",
        label="My phone",
        added_by=person("gustav"),
        added_at=campaign.now,
        removed_at=campaign.now,
        removed_because="The webhook is gone: it answered with 404.",
    )
    account_letters.report_lost_channel(of_gustav, campaign.now)
    letters_by_name["webhook"] = newest("webhook", "gustav")
    press = Press.objects.filter(game=game, seat__nation="France").latest("pk")
    complaints.report(person("gustav"), press, "He threatens me.", campaign.now)
    letters_by_name["complaint"] = newest("complaint", "ada")
    for _ in range(12):
        if campaign.game.status == Game.Status.FINISHED:
            break
        campaign.pass_deadline()
    return letters_by_name | {
        "over": newest("over", "gustav"),
        "over-gamesmaster": newest("over", "ada"),
    }


def _restored() -> dict[str, Letter]:
    """Return the letters of a game restored from a backup, and its next report."""
    campaign = Campaign.begin(
        schedule={"every": "days", "days": 1, "time": "18:00"}, title="From the copy"
    )
    game, phase, at = campaign.game, campaign.phase, campaign.now
    campaign.order("Germany", "PLACE 10 Poland", at=at + timedelta(hours=1))
    back, on = at + timedelta(hours=9), at + timedelta(hours=10)
    row = Restoration.objects.create(
        taken_at=at + timedelta(hours=2), restored_at=back, released_at=on
    )
    why = restore_hold.REASON.format(taken=f"{row.taken_at:%Y-%m-%d %H:%M}")
    change = deadlines.move(phase, on + timedelta(hours=24), why, None, on)
    restoration_letters.announce_restoration(game, phase, row, change, on)
    Game.objects.filter(pk=game.pk).update(retold_through=1)
    campaign.now = on
    campaign.pass_deadline()
    names = ("gustav", "felix", "ada")
    kinds = ("restored", "restored-silent", "restored-gamesmaster")
    restored = (newest("restored", name, game) for name in names)
    letters = dict(zip(kinds, restored, strict=True))
    return letters | {"board-retold": newest("board", "gustav", game)}


def _refereed() -> dict[str, Letter]:
    """Return the letters of four players in a refereed game of one Game-Turn: reports, dice, a
    secret column, the final score sheets."""
    war = Refereed.begin(players=4, options={"spi.last_turn": 1}, title="The map on the table")
    game = war.game

    def got(kind: str, name: str, face: str) -> dict[str, Letter]:
        return {f"{kind}-{face}": newest(kind, name, game)}

    letters_by_name = got("begins", "gustav", "refereed") | got("opened", "gustav", "diplomacy")
    war.order(
        "Germany",
        "BLEND Poland Germany\nBLEND Egypt Italy\nMED ON\nGRANT TRANSIT TO USSR IN Hungary",
    )
    letters_by_name |= got("receipt", "gustav", "column")
    war.order("USSR", "ALLY Germany\nPEACE France")
    war.order("France", "ALLY Britain\nGRANT SUPPLY TO Britain")
    war.order("Britain", "ALLY France\nGRANT BASE TO France IN Egypt")
    war.pass_deadline()
    letters_by_name |= got("board", "rosa", "diplomacy") | got("opened", "gustav", "map")
    war.order(
        "Germany",
        "INVADE Poland\nMOVE 4 SP Posen TO Warsaw\nIF the Poles hold Warsaw THEN RAIL 1 SP Berlin"
        " TO Posen\nNobody retreats.",
    )
    letters_by_name |= got("receipt", "gustav", "map")
    war.order("Italy", "SEA 1 SP Bari TO Tripoli VIA MED")
    war.order(
        "France",
        "IF Germany INVADES Belgium THEN MOVE 3 SP Metz TO Liège\nMINOR Poland: MOVE 1 SP Warsaw TO"
        " Lublin",
    )
    war.order("Britain", "SEA 2 SP London TO Alexandria VIA MED\nPEACE Germany")
    war.pass_deadline()
    letters_by_name |= got("board", "gustav", "orders") | got("report_due", "ada", "first")
    game_letters.report_waits(war.phase, war.now + timedelta(days=7))
    letters_by_name |= got("report_waits", "ada", "week")
    war.report(
        "REST DONE\nLINE France 9 DONE\nABOLISH winter\nTRACK 1 NAVAL 6 AMPHIBIOUS 0\nDICE 1 OF"
        " France FOR the weather in Poland\nEND"
    )
    letters_by_name["report_receipt"] = newest("report_receipt", "ada", game)
    war.carry_out()
    letters_by_name |= got("board", "felix", "weather")
    war.play_to("referee-germany")
    letters_by_name |= got("report_due", "ada", "germany")
    war.report(
        "LINE Germany 3 VOID: Warsaw has fallen\nREST DONE\nINVASION Italy Egypt\nCOMBAT Germany"
        " Poland\nFORCES Poland Germany 4 SUPPLIED 3\nEND"
    )
    war.carry_out()
    of_bea = Letter.objects.filter(kind="board", address="bea@example.org", game=game)
    boards = of_bea.select_related("game", "phase", "person").order_by("-pk")
    letters_by_name |= {"board-dice": boards[0], "board-report": boards[1]}
    letters_by_name |= got("report_due", "ada", "count")
    war.report(
        "CLEARED Poland Germany\nSWEPT Poland Germany\nHEXES France 40 HOSTILE 8\nEND", final=True
    )
    letters_by_name |= got("report_receipt", "ada", "final")
    war.carry_out()
    return letters_by_name | got("over", "gustav", "refereed") | got("board", "gustav", "count")


def _press(campaign: Campaign) -> dict[str, Letter]:
    game, now, people = campaign.game, campaign.now, campaign.players

    def write(nation: str | None, to: list[str], text: str, **more: Any) -> Any:
        seat, by = (campaign.seat(nation), people[nation]) if nation else (None, campaign.ada)
        return conversations.send(game, seat, by, to, text, channel="web", now=now, **more)

    first = write(
        "France",
        ["Britain", "Russia"],
        "If we three stand together in Poland, nobody else will.\n\nI place five there. And you?",
    )
    write("Britain", ["France", "Russia"], "Four of mine, if Moscow does the same.", answers=first)
    question = write(
        "USA",
        [],
        "May an Understanding be given in an area where I have no PFs?",
        to_gamesmaster=True,
    )
    letters_by_name = {
        "press": newest("press", "rosa", game),
        "question": newest("question", "ada", game),
    }
    write(None, ["USA"], "Yes, as long as you have one left to give.", answers=question)
    seats = {nation: game.seats.get(nation=nation) for nation in ("Germany", "Russia")}
    terms = "PEACE Poland UNTIL TURN 4; I LEAVE Rumania"
    how: dict[str, Any] = {"channel": "web", "now": campaign.now}
    deal = deals.propose(game, seats["Germany"], person("gustav"), seats["Russia"], terms, **how)
    letters_by_name["proposal"] = newest("proposal", "rosa", game)
    accepted = ProposalAnswer.Kind.ACCEPTED
    deals.answer(deal, seats["Russia"], accepted, person("rosa"), **how)
    letters_by_name["proposal_answer"] = newest("proposal_answer", "gustav", game)
    return letters_by_name | {"press-gamesmaster": newest("press", "una", game)}


def _people() -> dict[str, Letter]:
    """Return the letters about everything that a gamesmaster may do to time and people."""
    campaign = Campaign.begin(
        schedule={"every": "days", "days": 1, "time": "18:00"}, title="Changing hands"
    )
    game, ada, at = campaign.game, campaign.ada, campaign.now
    desk.pause(game, "Two of us are at a wedding.", ada, at)
    game.refresh_from_db()
    letters_by_name = {
        "paused": newest("paused", "gustav"),
        "paused-gamesmaster": newest("paused", "ada"),
    }
    desk.resume(game, "Everybody is back.", ada, at + timedelta(hours=1))
    game.refresh_from_db()
    letters_by_name["resumed"] = newest("resumed", "gustav")
    rule = {"every": "days", "days": 3, "time": "20:00"}
    later, why = at + timedelta(hours=2), "Every day was too often."
    desk.reschedule(game, rule, "Europe/London", why, ada, later, move_open=False)
    game.refresh_from_db()
    letters_by_name["rescheduled"] = newest("rescheduled", "gustav")
    desk.change_settings(game, {"may_lock_early": True}, ada, at + timedelta(hours=2))
    letters_by_name["change"] = newest("change", "gustav")
    desk.vacate(campaign.seat("USA"), person("una"), "She has exams.", ada, at + timedelta(hours=3))
    letters_by_name |= {"seat": newest("seat", "gustav"), "left": newest("left", "una")}
    standby = desk.stand_by(person("dana"), game, "Any seat at all.", at + timedelta(hours=4))
    letters_by_name["asks"] = newest("asks", "ada")
    desk.stand_by(person("iris"), None, "", at)
    free = dict.fromkeys(("Germany", "Russia"), "bot")
    Campaign.open(title="Come and play", joining=Game.Joining.OPEN, seats=free)
    letters_by_name["seats"] = newest("seats", "iris")
    campaign.now = at + timedelta(hours=4)
    campaign.pass_deadline()
    desk.seat_standby(campaign.seat("USA"), standby, ada, campaign.now, extra_hours=24)
    letters_by_name |= {
        "newcomer": newest("newcomer", "dana"),
        "seat-taken": newest("seat", "gustav"),
    }
    desk.ask_gamesmaster(game, "hugo@example.org", ada, campaign.now)
    letters_by_name["runs"] = newest("runs", "hugo")
    desk.add_gamesmaster(game, "hugo@example.org", ada, campaign.now)
    letters_by_name["handed"] = newest("handed", "gustav")
    subscriptions.mute(person("bea"), game, campaign.now)
    letters_by_name["muted"] = newest("muted", "ada")
    desk.change_settings(game, {"approval_hours": 24}, ada, campaign.now)
    game.refresh_from_db()
    campaign.wait_until(campaign.phase.deadline + timedelta(seconds=3))
    for _ in range(10):
        if campaign.phase.status == Phase.Status.APPROVAL:
            break
        campaign.wait_until((campaign.phase.due_at or campaign.now) + timedelta(seconds=1))
    letters_by_name["approval"] = newest("approval", "ada")
    desk.abandon(game, "Three of us have moved away.", ada, campaign.now)
    return letters_by_name | {"abandoned": newest("abandoned", "gustav")}


def _left() -> dict[str, Letter]:
    """Return the letters about a placement that waits for the gamesmaster to place what was left
    (ow2.unplaced)."""
    campaign = Campaign.begin(title="The careful hand", options={"ow2.unplaced": "gm_places"})
    campaign.order("Germany", "PLACE 6 Poland")
    campaign.wait_until(campaign.phase.deadline + timedelta(seconds=3))
    return {"approval-left": newest("approval", "ada", campaign.game)}


def _team() -> dict[str, Letter]:
    campaign = teams.begin("spokesman", schedule=FRIDAYS, title="The sixth form")
    desk.name_spokesman(campaign.seat("Germany"), person("greta"), campaign.ada, campaign.now)
    desk.invite(campaign.seat("Germany"), "tom@example.org", campaign.ada, campaign.now)
    return {
        "spokesman": newest("spokesman", "greta"),
        "invitation-team": newest("invitation", "tom"),
    }


def _market() -> dict[str, Letter]:
    """Return the letters about New York: outstanding figures, and a day on which the market stays
    closed."""
    settings: dict[str, Any] = {
        "title": "A year of Fridays",
        "market": "newspaper",
        "zone": "America/New_York",
    }
    settings |= {
        "options": {"rng.settle": "agreed_readings"},
        "schedule": {"every": "minutes", "minutes": 1440},
    }
    campaign = Campaign.begin(**settings)
    _all_send(campaign, "PLACE 5 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: France STOCK GE")
    phase = campaign.phase
    campaign.wait_until(phase.deadline + timedelta(seconds=3))
    phase.refresh_from_db()
    letters_by_name = {"locked-market": newest("locked", "gustav")}
    day = datetime.fromisoformat(phase.session).date()
    olga = person("olga")
    olga.is_staff = True
    olga.save()
    closure, _ = closures.enter("XNYS", day, "A day of mourning.", olga, campaign.now)
    letters_by_name["session"] = newest("session", "gustav")
    closure_letters.report_trading(
        closure, "KO traded 5,412,700 shares that day", [campaign.phase], campaign.now
    )
    letters_by_name |= {
        "closure-traded": newest("closure", "olga"),
        "closure-gamesmaster": newest("closure", "ada"),
    }
    closure_letters.report_refused_closure(
        closure, "KO traded 5,412,700 shares that day", campaign.now
    )
    letters_by_name["closure-refused"] = newest("closure", "olga")
    following: Any = {
        "exchange": "XNYS",
        "session": closure_evidence.session_after_day(closure).label,
        "source": "yahoo",
        "kind": "ok",
        "volume": 5_412_700,
        "read_at": campaign.now,
    }
    stocks = ("KO", "PEP", "WMT", "GE", "IBM")
    closure.readings.set([Reading.objects.create(**following, symbol=symbol) for symbol in stocks])
    closure_letters.report_closure(closure, 2, campaign.now)
    letters_by_name["closure-confirmed"] = newest("closure", "olga")
    why = {"GE": "no report of that day has come"}
    with Outgoing([phase.game]) as out:
        game_letters.report_overdue(phase, why, game_letters.NEEDED, campaign.now, out)
    return letters_by_name | {"overdue": newest("overdue", "ada")} | _later(phase, campaign)


def _later(phase: Phase, campaign: Campaign) -> dict[str, Letter]:
    """Return the letters about readings that differ, and about a figure that the publisher has
    changed since."""
    phase.refresh_from_db()
    assert phase.session_closes is not None
    first = phase.session_closes + timedelta(hours=14)
    ends = "A figure counts once two readings at least 2 hours apart agree."
    differ, shown = (
        "Yahoo has reported different figures.",
        "Yahoo has reported different figures (5,412,700 and 5,413,100).",
    )
    wait = market.Wait(
        "GE", differ, shown, ends, first + timedelta(hours=72), first + timedelta(hours=4)
    )
    with Outgoing([phase.game]) as out:
        game_letters.announce_delay(phase, [wait], first + timedelta(hours=2), out)
    place = {
        "source": "yahoo",
        "exchange": phase.exchange,
        "session": phase.session,
        "symbol": "GE",
        "kind": "ok",
    }
    figure = Figure.objects.create(
        phase=phase, symbol="GE", volume=5_412_700, reason="two readings agree", settled_at=first
    )
    reading = Reading.objects.create(
        **place, volume=5_413_100, read_at=phase.session_closes + timedelta(hours=24)
    )
    game_letters.report_restatement(phase, figure, reading, reading.read_at)
    letters_by_name = {
        "waiting": newest("waiting", "gustav"),
        "waiting-gamesmaster": newest("waiting", "ada"),
    }
    return letters_by_name | {"restated": newest("restated", "ada")}


def _all_send(campaign: Campaign, text: str) -> None:
    for nation in NATIONS:
        campaign.order(nation, text)


def _dice() -> dict[str, Letter]:
    settings: dict[str, Any] = {
        "title": "An evening in Ghent",
        "options": {"rng.source": "gm_dice", "seat.nmr_limit": 1},
        "market": "newspaper",
    }
    campaign = Campaign.begin(schedule={"every": "minutes", "minutes": 30}, **settings)
    for nation in NATIONS[1:]:
        campaign.order(nation, "PASS")
    campaign.pass_deadline()
    return {"vacant": newest("vacant", "ada", campaign.game)}


def _mail() -> dict[str, Letter]:
    """Return the letters about mail."""
    campaign = Campaign.begin(schedule=FRIDAYS, title="By return of post")
    game, now = campaign.game, campaign.now
    send(campaign, "Russia", "STATUS\nORDERS\nDEADLINE\nPLACE 1 Atlantis\n\nROSA", at=now)
    letters_by_name = {"answer": newest("answer", "rosa")}
    office, subject = "gustav@office.example.net", "Re: Orders are due"
    send(campaign, "Germany", "PLACE 6 Poland\n\nGustav", sender=office, subject=subject, at=now)
    letters_by_name["confirm"] = newest("confirm", "gustav")
    with override_settings(MAIL_UNPROVEN="hold"):
        cafe, subject = "felix@cafe.example.net", "My orders"
        send(campaign, "France", "PLACE 6 Poland\n\nFelix", sender=cafe, subject=subject, at=now)
    letters_by_name["mailheld"] = newest("mailheld", "ada")
    send(campaign, "Britain", "I am away.", headers={"Auto-Submitted": "auto-replied"}, at=now)
    letters_by_name["mailaside"] = newest("mailaside", "ada")
    desk_addresses.add(person("gustav"), "gustav@office.example.net", now)
    letter = Letter.objects.filter(kind="address").select_related("person", "game", "phase").get()
    reply_letters.confirm_mute(person("bea"), game, now)
    letters_by_name |= {"address": letter, "word": newest("word", "bea", game)}
    letters_by_name |= _choices(campaign)
    handling = Handling.objects.filter(person=person("gustav")).order_by("pk")[0]
    handling.fault = "6 tries failed, the last with OSError: the disk is full"
    reply_letters.report_failed_mail(handling, game, now)
    letters_by_name["mailfailed"] = newest("mailfailed", "ada")
    lost = Letter.objects.filter(game=game, address="bea@example.org", kind="opened").get()
    Letter.objects.filter(pk=lost.pk).update(
        status="bounced", fault="550 5.1.1 <bea@example.org>: no such mailbox"
    )
    reply_letters.report_bounces(lost, person("bea"), 3, lost, now)
    letters_by_name["bouncing"] = newest("bouncing", "ada")
    forming = Campaign(_forming(now), now, person("ada"))
    reply_letters.report_decline(forming.game.seats.get(nation="Britain").invitations.get(), now)
    return letters_by_name | {"declined": newest("declined", "ada", forming.game)}


def _choices(campaign: Campaign) -> dict[str, Letter]:
    """Return the question what an answer to a player is."""
    game, now = campaign.game, campaign.now
    conversations.send(
        game,
        campaign.seat("Russia"),
        person("rosa"),
        ["Germany"],
        "Shall we leave Poland alone?",
        channel="web",
        now=now,
    )
    press = newest("press", "gustav", game)
    text = "Hello Russia,\nI place 5 in Poland.\nGustav"
    send(campaign, "Germany", text, headers={"In-Reply-To": press.message_id}, at=now)
    return {"choice": newest("choice", "gustav", game)}


def _forming(now: datetime) -> Game:
    seats = (
        dict.fromkeys(NATIONS[:1], "me")
        | {"Britain": "bea@example.org"}
        | dict.fromkeys(("France", "Russia", "Germany"), "bot")
    )
    settings: dict[str, Any] = {
        "title": "Before the storm",
        "schedule": FRIDAYS,
        "options": {},
        "ruleset_id": "origins-ww2",
        "card_name": "historical",
        "zone": "Europe/London",
        "market": "demo",
        "reserves": None,
        "may_lock_early": True,
        "public": True,
    }
    return open_game(person("ada"), now, seats=seats, **settings)
