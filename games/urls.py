"""URL patterns of the pages of this app."""

from datetime import date

from django.conf import settings
from django.urls import URLPattern, path, register_converter
from django.views.generic import RedirectView

from games.models.coded import CODE
from games.pages import live, pictures, previews
from games.rules import registry
from games.web.accounts import (
    access,
    calendars,
    login,
    mail,
    personal,
    two_factor,
)
from games.web.accounts import webhooks as own_webhooks
from games.web.desk import (
    classroom,
    desks,
    figures,
    opening,
    paper,
    people,
    rulings,
    standby,
    taking_down,
    telephone,
    times,
    webhooks,
)
from games.web.desk import letters as desk_letters
from games.web.game import (
    complaints,
    deals,
    debrief,
    forecast,
    history,
    letters,
    nation,
    notebook,
    overview,
    phase,
    press,
    printed,
    proof,
    questions,
    standing,
    votes,
    what_if,
)
from games.web.operator import closures, health
from games.web.public import (
    anchors,
    archive,
    explained,
    feeds,
    home,
    practice,
    track_records,
    uniformity,
)
from games.web.scenarios import scenarios


class DayConverter:
    """Convert a day such as 2026-11-23 in an address."""

    regex = "[0-9]{4}-[0-9]{2}-[0-9]{2}"

    def to_python(self, value: str) -> date:
        return date.fromisoformat(value)

    def to_url(self, value: date) -> str:
        return value.isoformat()


class CodeConverter:
    """A row's code in an address (games.models.coded)."""

    regex = CODE

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(DayConverter, "day")
register_converter(CodeConverter, "code")

urlpatterns: list[URLPattern] = [
    path("", home.home, name="home"),
    # Browsers request it when they open a picture, because a picture names no icon.
    path("favicon.ico", RedirectView.as_view(url=f"{settings.STATIC_URL}favicon.ico")),
    path("health/", home.health, name="health"),
    path("healthz", health.alive, name="alive"),
    path("readyz", health.ready, name="ready"),
    path("metrics", health.metrics, name="metrics"),
    path("operator/", health.operator, name="operator"),
    path("operator/doctor/", health.doctor_page, name="operator-doctor"),
    path("operator/resume/", health.resume, name="operator-resume"),
    path("feed.xml", feeds.public_feed, name="feed"),
    path("anchors/", anchors.page, name="anchors"),
    path("anchors/<day:day>/", anchors.page, name="anchors-of-day"),
    path("anchors/feed.xml", anchors.feed, name="anchors-feed"),
    *(path for guest in registry.GUESTS for path in registry.part(guest, "urls").urlpatterns),
    path("games/<int:pk>/feed.xml", feeds.game_feed, name="game-feed"),
    path("games/<int:pk>/preview.png", previews.picture, name="preview-picture"),
    path("games/<int:pk>/replay.gif", previews.animation, name="replay-picture"),
    path("games/<int:pk>/board/embedded/", previews.embedded_board, name="board-embedded"),
    path("cards/", scenarios.all_cards, name="cards"),
    path("cards/from-file/", scenarios.import_page, name="scenario-take-in"),
    path("cards/from-file/taken/", scenarios.import_scenario, name="scenario-taken"),
    path("cards/scenarios/<int:pk>/", scenarios.show, name="scenario"),
    path("cards/scenarios/<int:pk>/edit/", scenarios.edit, name="scenario-edit"),
    path("cards/scenarios/<int:pk>/check/", scenarios.check, name="scenario-check"),
    path("cards/scenarios/<int:pk>/share/", scenarios.share, name="scenario-share"),
    path("cards/scenarios/<int:pk>/remove/", scenarios.remove, name="scenario-remove"),
    path("cards/scenarios/<int:pk>/try/", scenarios.try_out, name="scenario-try"),
    path("cards/scenarios/<int:pk>.toml", scenarios.export, name="scenario-toml"),
    path("cards/scenarios/<int:pk>.pdf", printed.own_scenario, name="scenario-pdf"),
    path("cards/<slug:game>/new/", scenarios.new, name="scenario-new"),
    path("cards/<slug:game>/<slug:name>.toml", scenarios.export_shipped, name="card-toml"),
    path("cards/<slug:game>/<slug:name>.pdf", printed.shipped_scenario, name="card-pdf"),
    path("cards/<slug:game>/<slug:name>/", home.card, name="card"),
    path("cards/<slug:game>/<slug:name>/what-if/", what_if.card_sandbox, name="card-what-if"),
    path(
        "cards/<slug:game>/<slug:name>/what-if/board.svg",
        what_if.board_of_card,
        name="card-what-if-board",
    ),
    path("games/<int:pk>/what-if/", what_if.game_sandbox, name="what-if"),
    path("games/<int:pk>/what-if/board.svg", what_if.board_of_game, name="what-if-board"),
    path("games/<int:pk>/scenario/", scenarios.game_scenario, name="game-scenario"),
    path("games/<int:pk>/scenario.pdf", printed.game_scenario, name="game-scenario-pdf"),
    path("class/", classroom.enter, name="class"),
    path("games/<int:pk>/summary/", debrief.page, name="game-summary"),
    path("games/<int:pk>/class/", classroom.wall, name="class-wall"),
    path("games/<int:pk>/class/letters/", classroom.letters, name="class-letters"),
    path("games/<int:pk>/class/letters/<code:letter>/", classroom.letter, name="class-letter"),
    path("games/<int:pk>/desk/class/", classroom.page, name="desk-class"),
    path("games/<int:pk>/desk/class/slips.pdf", classroom.slips, name="desk-class-slips"),
    path("games/<int:pk>/desk/class/<int:person>/", classroom.pupil, name="desk-class-pupil"),
    path("login/", login.login, name="login"),
    path("login/code/", login.login_code, name="login-code"),
    path("login/<str:token>/", login.login_link, name="login-link"),
    path("logout/", login.logout, name="logout"),
    path("second-factor/", two_factor.show, name="second-factor"),
    path("second-factor/new/", two_factor.new, name="second-factor-new"),
    path("second-factor/change/", two_factor.change, name="second-factor-change"),
    path("me/", login.me, name="me"),
    path("me/everything.zip", personal.download_data, name="me-export"),
    path("me/erase/", personal.erase, name="me-erase"),
    path("kept/", personal.stored_data, name="kept"),
    path("me/tokens/", access.make, name="token-make"),
    path("me/tokens/<code:code>/revoke/", access.revoke, name="token-revoke"),
    path("me/notifications/", own_webhooks.subscribe, name="notifications"),
    path("me/webhooks/", own_webhooks.add, name="webhook-add"),
    path("me/webhooks/<code:code>/<slug:what>/", own_webhooks.change, name="webhook-change"),
    path("me/calendar/", calendars.renew, name="calendar-renew"),
    path("me/calendar/end/", calendars.end, name="calendar-end"),
    path("calendar/<str:key>.ics", calendars.calendar, name="calendar"),
    path("games/new/", opening.game_new, name="game-new"),
    path("gamesmaster/<str:token>/", people.run_game, name="run-game"),
    path("people/<int:pk>/", track_records.track_record_page, name="track-record"),
    path("games/<int:pk>/join/", opening.join, name="join-openly"),
    path("games/<int:pk>/join/<str:token>/", opening.join, name="join"),
    path("invitation/<str:token>/", opening.invitation, name="invitation"),
    path("games/<int:pk>/", overview.game, name="game"),
    path("games/<int:pk>/state.json", live.state, name="game-state"),
    path("games/<int:pk>/record.json", proof.record, name="record"),
    path("games/<int:pk>/honesty/", uniformity.one_game, name="game-honesty"),
    path("honesty/", uniformity.visible_games, name="honesty"),
    path("checker.pyz", proof.checker, name="checker"),
    path("games/<int:pk>/start/", desks.start_game, name="game-start"),
    path("games/<int:pk>/board/", history.board, name="board"),
    path("games/<int:pk>/series/", track_records.series_page, name="series"),
    path("games/<int:pk>/standing/", standing.standing, name="standing"),
    path("games/<int:pk>/nations/<str:slug>/", nation.nation, name="nation"),
    path("archive/", archive.archive, name="archive"),
    path("games/<int:pk>/phases/<int:number>/", phase.phase, name="phase"),
    path("games/<int:pk>/phases/<int:number>/board.svg", pictures.svg, name="board-svg"),
    path("games/<int:pk>/phases/<int:number>/board.png", pictures.png, name="board-png"),
    path("games/<int:pk>/phases/<int:number>/proof/", proof.proof_page, name="proof"),
    path("games/<int:pk>/phases/<int:number>/figure/", figures.enter, name="phase-figure"),
    path("games/<int:pk>/phases/<int:number>/rolls/", figures.rolls, name="phase-rolls"),
    path("desk/", desks.desks, name="desks"),
    path("games/<int:pk>/desk/", desks.desk, name="desk"),
    path("games/<int:pk>/desk/board.svg", pictures.preview, name="board-preview"),
    path("games/<int:pk>/desk/mail/<code:handling>/", desks.decide_mail, name="desk-mail"),
    path("games/<int:pk>/desk/prospects/", forecast.page, name="desk-prospects"),
    path("games/<int:pk>/desk/approval/", rulings.approval, name="desk-approval"),
    path(
        "games/<int:pk>/desk/approval/<int:number>/release/", rulings.release, name="desk-release"
    ),
    path("games/<int:pk>/desk/rulings/", rulings.desk_list, name="desk-rulings"),
    path(
        "games/<int:pk>/desk/rulings/<int:number>/revoke/",
        rulings.revoke,
        name="desk-ruling-revoke",
    ),
    path(
        "games/<int:pk>/desk/rulings/phases/<int:number>/",
        rulings.choose_kind,
        name="desk-ruling-phase",
    ),
    path(
        "games/<int:pk>/desk/rulings/phases/<int:number>/<slug:kind>/",
        rulings.make,
        name="desk-ruling-new",
    ),
    path("games/<int:pk>/desk/telephone/", telephone.call_sheet, name="desk-telephone"),
    path("games/<int:pk>/desk/telephone/script/", telephone.read_out, name="desk-telephone-script"),
    path("games/<int:pk>/desk/telephone/table/", taking_down.table, name="desk-telephone-table"),
    path(
        "games/<int:pk>/desk/telephone/table/read/",
        taking_down.read_table,
        name="desk-telephone-table-read",
    ),
    path("games/<int:pk>/desk/telephone/<int:seat>/", taking_down.take, name="desk-telephone-seat"),
    path(
        "games/<int:pk>/desk/telephone/<int:seat>/number/",
        telephone.number,
        name="desk-telephone-number",
    ),
    path(
        "games/<int:pk>/desk/telephone/<int:seat>/read/",
        taking_down.read,
        name="desk-telephone-read",
    ),
    path(
        "games/<int:pk>/desk/telephone/<int:seat>/call/", telephone.call, name="desk-telephone-call"
    ),
    path("games/<int:pk>/desk/paper/", paper.page, name="desk-paper"),
    path("games/<int:pk>/desk/paper/letters.pdf", paper.print_all, name="desk-paper-print"),
    path("games/<int:pk>/desk/paper/posted/", paper.mark_posted, name="desk-paper-posted"),
    path("games/<int:pk>/desk/paper/orders/", paper.orders, name="desk-paper-orders"),
    path("games/<int:pk>/desk/paper/board.pdf", paper.board, name="desk-paper-board"),
    path(
        "games/<int:pk>/desk/paper/<int:seat>/board.pdf",
        paper.board_of_seat,
        name="desk-paper-seat-board",
    ),
    path(
        "games/<int:pk>/desk/paper/<int:seat>/orders.pdf", paper.order_form, name="desk-paper-form"
    ),
    path("games/<int:pk>/desk/paper/<int:seat>/report.pdf", paper.report, name="desk-paper-report"),
    path("games/<int:pk>/desk/paper/<int:seat>/seat/", paper.seat_somebody, name="desk-paper-seat"),
    path(
        "games/<int:pk>/desk/paper/<int:seat>/people/<int:person>/",
        paper.correct_details,
        name="desk-paper-person",
    ),
    path("games/<int:pk>/rulings/", rulings.public_list, name="rulings"),
    path("games/<int:pk>/desk/mail/", mail.held_mail, name="mail-held"),
    path("games/<int:pk>/mute/<str:token>/", mail.mute, name="mute"),
    path("mail/<str:token>/", mail.confirm, name="mail-confirm"),
    path("me/addresses/", mail.address_add, name="address-add"),
    path("me/addresses/<code:address>/remove/", mail.address_remove, name="address-remove"),
    path("me/letters/", mail.save_letter_settings, name="letters-wanted"),
    path("me/letters/<int:pk>/", mail.change_game_letters, name="letters-of-game"),
    path("address/<str:token>/", mail.address_confirm, name="address-confirm"),
    path("games/<int:pk>/press/", press.press, name="press"),
    path("games/<int:pk>/press/<int:code>/<slug:what>/", complaints.act, name="press-act"),
    path("me/blocks/<code:code>/remove/", complaints.unblock, name="unblock"),
    path("complaints/", complaints.queue, name="complaints"),
    path("complaints/<code:code>/close/", complaints.close, name="complaint-close"),
    path("games/<int:pk>/press/write/", press.write, name="press-write"),
    path("games/<int:pk>/deals/", deals.page, name="deals"),
    path("games/<int:pk>/deals/<int:number>/", deals.answer, name="deal-answer"),
    path("games/<int:pk>/questions/", questions.questions, name="questions"),
    path("games/<int:pk>/questions/<int:code>/", questions.answer, name="question-answer"),
    path("games/<int:pk>/desk/times/", times.times, name="desk-times"),
    path(
        "games/<int:pk>/desk/times/absences/<code:absence>/withdraw/",
        times.withdraw_absence,
        name="absence-withdraw",
    ),
    path("games/<int:pk>/desk/letters/", desk_letters.page, name="desk-letters"),
    path("games/<int:pk>/desk/as/<int:seat>/", overview.player_view, name="desk-as"),
    path("games/<int:pk>/desk/people/", people.people, name="desk-people"),
    path("games/<int:pk>/desk/channels/", webhooks.page, name="desk-channels"),
    path(
        "games/<int:pk>/desk/channels/<code:channel>/try/",
        webhooks.greet,
        name="desk-channel-greet",
    ),
    path(
        "games/<int:pk>/desk/channels/<code:channel>/remove/",
        webhooks.remove,
        name="desk-channel-remove",
    ),
    path("games/<int:pk>/notebook/", notebook.page, name="notebook"),
    path("games/<int:pk>/away/", times.away, name="away"),
    path("games/<int:pk>/votes/", votes.page, name="votes"),
    path("games/<int:pk>/leave/", people.leave, name="leave"),
    path("practice/", practice.begin, name="practice"),
    path("practice/keep/", practice.send_login_letter, name="practice-keep"),
    path("practice/take/<str:token>/", practice.adopt, name="practice-adopt"),
    path("practice/<int:pk>/again/", practice.begin_again, name="practice-again"),
    path("rules/", explained.games, name="rules"),
    path("rules/<slug:game>/", explained.rules, name="rules-of"),
    path("rules/<slug:game>/<slug:example>.svg", explained.picture, name="rules-picture"),
    path("standby/", standby.standby, name="standby"),
    path("closures/", closures.closures, name="closures"),
    path("closures/<int:closure>/remove/", closures.remove, name="closure-remove"),
    path("letters/", letters.letters, name="letters"),
    path("letters/<code:code>/", letters.letter, name="letter"),
    path("letters/<code:code>/answer/", letters.answer, name="letter-answer"),
    path("letters/<code:code>.pdf", paper.letter, name="letter-pdf"),
]
