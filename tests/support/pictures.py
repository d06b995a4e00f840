"""Take pictures of pages, letters and printouts at four widths, light and dark.

    python -m tests.support.pictures FOLDER [NAME ...]

Games are played into their own database (tests/support/staging.py), and each page is opened in
Chromium as a person who may see it. A page wider than its window is reported with the elements that
cause it. `--docs` takes the pictures of the documentation, docs/pictures.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import TYPE_CHECKING, Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from PIL import Image
from playwright import sync_api

from tests.support.browser import browser, new_page

if TYPE_CHECKING:
    from games.models import Person
    from tests.support.campaign import Campaign
    from tests.support.staging import Stage

WIDTHS = (390, 820, 1440, 1920)
LETTER_WIDTHS = (390, 700)
#: A fixed Friday afternoon, so that the pictures of the documentation do not change.
AT = datetime(2026, 11, 20, 15, 0, tzinfo=UTC)
#: Find elements wider than the window that have no scrolling box.
WIDE = """[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1
  && !e.closest(".scroll, .sheets, pre, .unseen, textarea") && getComputedStyle(e).position !== "absolute").slice(0, 4)
  .map(e => e.tagName.toLowerCase() + (e.className ? "." + String(e.className).split(" ").join(".") : "")).join(", ")"""  # noqa: E501
#: Load what is loaded only when a reader scrolls there, and wait for it and for the fonts.
COMPLETE = """async () => {
  await document.fonts.ready;
  await Promise.all([...document.images].map(one => { one.loading = "eager"; return one.decode().catch(() => {}); }));
}"""  # noqa: E501


@dataclass(frozen=True)
class Page:
    """A page, its reader, what is done on it first, and its width in the documentation."""

    name: str
    who: str | Person | None
    path: str
    width: int = 0  # in the book; 0: not shown there
    # what is done in the page before it is looked at; it leads to another page
    then: Callable[[sync_api.Page], None] | None = None
    tall: int = 0  # the book shows no more of it than this
    # what is done in the page before it is looked at, and stays on it
    here: Callable[[sync_api.Page], None] | None = None

    def open(self, page: sync_api.Page) -> None:
        """Open the page and do what is done there first."""
        page.goto(self.path)
        if self.then:
            with page.expect_navigation():
                self.then(page)
        if self.here:
            self.here(page)


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


class QuietServer(ThreadingMixIn, WSGIServer):
    """Answer each request in a thread that ends with the process."""

    daemon_threads = True


@contextmanager
def served() -> Iterator[str]:
    """Serve the pages with a new database and a clock near `AT`."""
    with tempfile.TemporaryDirectory(prefix="gamesmaster-pictures-") as folder:
        os.environ |= {
            "GAMESMASTER_ENV": os.devnull,
            "GAMESMASTER_VAR": folder,
            "SECRET_KEY": "pictures" * 8,
            "LOG_LEVEL": "ERROR",
            "EMAIL_URL": "dummymail://",
        }
        os.environ |= {
            "MAIL_IN": "true",
            "MAIL_DOMAIN": "games.example.org",
            "SITE_URL": "http://127.0.0.1",
        }
        os.environ |= {
            "GAMESMASTER_CLOCK": f"{folder}/clock",
            "DJANGO_SETTINGS_MODULE": "gamesmaster.settings",
        }
        import django

        django.setup()
        from django.core.management import call_command
        from django.core.wsgi import get_wsgi_application

        from games.base import clock

        call_command("migrate", verbosity=0)
        call_command("collectstatic", verbosity=0, interactive=False)
        clock.move(AT.timestamp() - time.time())
        server = make_server(
            "127.0.0.1", 0, get_wsgi_application(), server_class=QuietServer, handler_class=_Quiet
        )
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def pages(stage: Stage) -> list[Page]:
    """Return every page in the order in which a game reaches them."""
    from games.models import Ruling

    game, waits, paper, forming, over, changes, dice = (
        f"/games/{campaign.game.pk}/"
        for campaign in (
            stage.lights,
            stage.approval,
            stage.paper,
            stage.forming,
            stage.over,
            stage.changes,
            stage.dice,
        )
    )
    germany = stage.lights.seat("Germany").pk
    administrator = _warden("alma", stage.now, shown=True, is_superuser=True)
    sent = stage.lights.seat("Germany").submissions.latest("number")
    rule, rulings = f"{game}desk/rulings/phases/4/", f"{game}desk/rulings/"
    school = f"/games/{stage.school.game.pk}/"
    first_days = [
        Page(f"practice-{name}", campaign.players["Britain"], path)
        for when, campaign in (("begun", stage.practice), ("judged", stage.practised))
        for name, path in (
            (when, f"/games/{campaign.game.pk}/"),
            (f"{when}-orders", f"/games/{campaign.game.pk}/orders/{campaign.seat('Britain').pk}/"),
            (f"{when}-keep", "/practice/keep/"),
        )
    ]
    pupils = [
        Page(f"class-{name}", sitting.person, path)
        for sitting in stage.school.game.seats.get(nation="France").sittings.order_by("pk")[:1]
        for name, path in (
            ("pupil", school),
            ("pupil-orders", f"{school}orders/{sitting.seat_id}/"),
            ("letters", f"{school}class/letters/"),
            (
                "letter",
                f"{school}class/letters/{sitting.person.letters.filter(secret=False).order_by('pk')[0].code}/",
            ),
        )
    ]
    covered = [
        Page(f"face-down-{name}", "gustav", f"/games/{campaign.game.pk}/{at}")
        for name, campaign in (("laying", stage.laying), ("lying", stage.lying))
        for name, at in ((name, ""), (f"{name}-orders", f"orders/{campaign.seat('Germany').pk}/"))
    ]
    refereed = [
        Page(f"war-{name}", who, f"/games/{campaign.game.pk}/{at}")
        for campaign, shown in (
            (
                stage.war,
                (
                    ("table", "ada", "referee/"),
                    ("lines", "ada", "referee/lines/"),
                    ("game", "felix", ""),
                    ("phase", "felix", "phases/2/"),
                    ("report", None, "phases/3/"),
                    ("nation", None, "nations/germany/"),
                    ("board", None, "board/"),
                    ("standing", None, "standing/"),
                    ("scores", None, "score-sheets/"),
                ),
            ),
            (
                stage.columns,
                (("column", "gustav", f"orders/{stage.columns.seat('Germany').pk}/"),),
            ),
            (
                stage.peace,
                (
                    ("over", None, ""),
                    ("count", None, "phases/8/"),
                    ("dice", None, "phases/7/proof/"),
                ),
            ),
        )
        for name, who, at in shown
    ]
    sister = [
        Page(f"ww1-{name}", who, f"/games/{stage.treaties.game.pk}/{at}")
        for name, who, at in (
            ("game", "gustav", ""),
            ("orders", "gustav", f"orders/{stage.treaties.seat('Germany').pk}/"),
            ("phase", "gustav", "phases/4/"),
            ("proof", None, "phases/4/proof/"),
            ("nation", None, "nations/britain/"),
            ("standing", None, "standing/"),
        )
    ]
    return [
        Page("home", None, "/"),
        Page("rules", None, "/rules/"),
        *first_days,
        *covered,
        *sister,
        *refereed,
        Page("war-card", None, "/cards/ww2-multiplayer/standard/"),
        Page("war-rules", None, "/rules/ww2-multiplayer/"),
        Page("ww1-card", None, "/cards/origins-ww1/standard/"),
        Page("ww1-rules", None, "/rules/origins-ww1/"),
        Page("ww2-rules", None, "/rules/origins-ww2/"),
        Page("home-ada", "ada", "/"),
        Page("new", "ada", "/games/new/", 820, tall=1500),
        Page("forming", "ada", forming),
        Page("invitation", None, f"/invitation/{stage.invitation}/"),
        Page("game", "gustav", game),
        Page("game-ada", "ada", game),
        Page("game-stranger", None, game),
        Page("orders", "gustav", f"/games/{stage.lights.game.pk}/orders/{germany}/"),
        Page("orders-area", "gustav", f"/games/{stage.lights.game.pk}/orders/{germany}/#at-poland"),
        Page(
            "orders-attacks",
            "gustav",
            f"{paper}orders/{stage.paper.seat('Germany').pk}/#at-germany",
        ),
        Page("phase", "gustav", f"{game}phases/4/", 820, tall=1500),
        Page("phase-version-1", "gustav", f"{game}phases/4/?version=1"),
        Page("phase-played", "gustav", f"{game}phases/4/", here=play_report),
        Page("board", None, f"{over}board/?at=6.1"),
        Page("board-version", "gustav", f"{game}board/?at=4.2"),
        Page("standing", None, f"{over}standing/"),
        Page("what-if", "gustav", f"{game}what-if/"),
        Page("notebook", "gustav", f"{game}notebook/"),
        Page("receipt", "gustav", sent.get_absolute_url()),
        Page("archive", None, "/archive/"),
        Page("practice", None, "/practice/"),
        Page("nation", "gustav", f"{game}nations/germany/"),
        Page("nation-over", None, f"{over}nations/france/"),
        Page("proof", None, f"{game}phases/4/proof/"),
        Page("honesty", None, f"{game}honesty/"),
        Page("over", None, over),
        Page("desks", "ada", "/desk/"),
        Page("desk", "ada", f"{game}desk/", 820, tall=1700),
        Page("desk-forming", "ada", f"{forming}desk/"),
        Page("desk-approval-waits", "ada", f"{waits}desk/"),
        Page("desk-figures", "ada", f"{paper}desk/", 820, tall=1400),
        Page("desk-dice", "ada", f"{dice}desk/"),
        Page("desk-changes", "ada", f"{changes}desk/"),
        Page("desk-over", "ada", f"{over}desk/"),
        Page("times", "ada", f"{game}desk/times/"),
        Page("times-changes", "ada", f"{changes}desk/times/"),
        Page("people-seated", "ada", f"{game}desk/people/"),
        Page("people", "ada", f"{changes}desk/people/", 820, tall=1400),
        Page("prospects", "ada", f"{paper}desk/prospects/", 820, tall=1400),
        Page("approval", "ada", f"{waits}desk/approval/", 820, tall=1400),
        Page("rulings", "ada", rulings),
        Page("ruling-kinds", "ada", rule),
        *(Page(f"ruling-{kind}", "ada", f"{rule}{kind}/") for kind in KINDS),
        Page(
            "ruling-alliance",
            "ada",
            f"/games/{stage.treaties.game.pk}/desk/rulings/phases/4/alliance/",
        ),
        Page("ruling-preview", "ada", f"{rule}result/", 820, rule_on_result, tall=1900),
        Page("ruling-revoke", "ada", f"{rulings}1/revoke/"),
        Page("rulings-public", "gustav", f"{game}rulings/"),
        Page("telephone", "ada", f"{game}desk/telephone/"),
        Page(
            "telephone-seat",
            "ada",
            f"{game}desk/telephone/{germany}/",
            820,
            here=type_example,
            tall=1300,
        ),
        Page(
            "telephone-table",
            "ada",
            f"{game}desk/telephone/table/",
            820,
            here=type_example,
            tall=1300,
        ),
        Page("telephone-script", "ada", f"{game}desk/telephone/script/"),
        Page("paper", "ada", f"{paper}desk/paper/", 820, tall=1300),
        Page("held-mail", "ada", f"{game}desk/mail/"),
        Page("confirm", None, f"/mail/{stage.confirm}/"),
        Page("choice", None, f"/mail/{stage.choice}/?choice=send"),
        Page("address", None, f"/address/{stage.address}/"),
        Page("mute", None, f"{game}mute/{stage.mute}/"),
        Page("press", "felix", f"{game}press/"),
        Page("press-ada", "ada", f"{game}press/"),
        Page(
            "conversation",
            "felix",
            f"{game}press/",
            then=click("ul.post a"),
        ),
        Page("press-write", "felix", f"{game}press/write/"),
        Page("press-answer", "bea", f"{game}press/write/?answer={stage.letter}"),
        Page("deals", "gustav", f"{game}deals/"),
        Page("deals-ada", "ada", f"{game}deals/"),
        Page("questions", "ada", f"{game}questions/"),
        Page("me", "gustav", "/me/"),
        Page("blocks", _blocker(stage.lights), "/me/"),
        Page(
            "seen-as", "ada", f"{game}desk/people/", then=click("form[action*='/desk/as/'] button")
        ),
        Page(
            "calendar",
            "gustav",
            "/me/",
            then=click('form[action$="me/calendar/"] button'),
        ),
        Page("channels", "ada", f"{game}desk/channels/"),
        Page("away", "gustav", f"{game}away/"),
        Page("leave", "gustav", f"{game}leave/"),
        Page("standby", "dana", "/standby/"),
        Page("closures", _warden("wanda", stage.now, shown=False), "/closures/"),
        Page("login", None, "/login/"),
        Page("kept", None, "/kept/"),
        Page("erase", "gustav", "/me/erase/"),
        Page("erase-refused", "ada", "/me/erase/"),
        Page("factor-new", _warden("wanda", stage.now, shown=False), "/second-factor/new/"),
        Page("factor-show", _warden("wilma", stage.now, shown=True), "/second-factor/"),
        Page(
            "new-filled",
            "ada",
            "/games/new/",
            then=fill_in_preset,
        ),
        Page("new-refused", "ada", "/games/new/", then=send_a_forged_form),
        Page("cards", "ada", "/cards/"),
        Page(
            "scenario",
            "ada",
            f"/cards/scenarios/{stage.scenario}/",
            then=click("form[action*=try] button"),
        ),
        Page("scenario-edit", "ada", f"/cards/scenarios/{stage.scenario}/edit/"),
        Page("scenario-take-in", "ada", "/cards/from-file/"),
        Page("class", "ada", f"{school}desk/class/"),
        Page("class-wall", "ada", f"{game}class/"),
        Page("class-wall-school", "ada", f"{school}class/"),
        Page("class-enter", None, "/class/"),
        *pupils,
        Page("card", None, "/cards/origins-ww2/historical/"),
        Page("summary", None, f"{over}summary/"),
        Page("operator", _operator(), "/operator/"),
        Page("complaints", _operator(), "/complaints/"),
        Page("embedded", None, f"{over}board/embedded/"),
        Page("what-if-blank", None, "/cards/origins-ww2/historical/what-if/"),
        Page("honesty-all", None, "/honesty/"),
        Page("anchors", None, "/anchors/"),
        Page("api", None, "/api/"),
        Page("votes", "gustav", f"{game}votes/"),
        Page("series", "ada", f"{over}series/"),
        Page("track-record", "gustav", f"/people/{stage.lights.players['Germany'].pk}/"),
        Page("login-code", None, "/login/code/"),
        Page("desk-letters", "ada", f"{game}desk/letters/"),
        Page("game-scenario", None, f"{game}scenario/"),
        Page("ahead", "gustav", f"{game}orders/{germany}/ahead/"),
        Page(
            "practice-receipt",
            stage.practised.players["Britain"],
            stage.practised.seat("Britain").submissions.latest("number").get_absolute_url(),
        ),
        Page("open-seats", None, "/standby/"),
        Page("rulings-over", None, f"{over}rulings/"),
        Page("admin", administrator, "/admin/"),
        Page("admin-games", administrator, "/admin/games/game/"),
        Page("admin-game", administrator, f"/admin/games/game/{stage.lights.game.pk}/change/"),
        *(
            Page(f"admin-{name}", administrator, f"/admin/games/{name}/{row.pk}/change/")
            for name, row in (
                ("phase", stage.lights.phase),
                ("ruling", Ruling.objects.filter(game=stage.lights.game).earliest("pk")),
            )
        ),
        Page("admin-person", administrator, f"/admin/games/person/{administrator.pk}/change/"),
        Page("missing", None, "/nowhere/"),
        Page("forbidden", "charlie", f"{game}desk/"),
    ]


def one_of_each_kind(pages: list[Page]) -> list[Page]:
    """Return the first page of each address, by whether nobody, the gamesmaster or another person
    reads it and by what is done on it; in a soak all pages."""
    from django.urls import Resolver404, resolve

    from tests.support.examples import WHOLE

    if WHOLE:
        return pages
    found: dict[object, Page] = {}
    for page in pages:
        address, *query = page.path.partition("#")[0].split("?")
        with suppress(Resolver404):
            address = resolve(address).route
        reader = page.who if page.who in (None, "ada") else "another"
        done = bool(page.then or page.here)
        found.setdefault((address, bool(query), reader, done and page.name), page)
    return list(found.values())


def _operator() -> Person:
    """Return a person who operates the service."""
    from games.models import Person

    return Person.objects.at("root@example.org", name="Root", is_superuser=True)


def _blocker(campaign: Campaign) -> Person:
    """Return the player of Russia, who blocks letters from the player of France."""
    from games.models import Block, Press

    press = Press.objects.filter(game=campaign.game, seat__nation="France").earliest("pk")
    russia = campaign.players["Russia"]
    Block.objects.create(
        person=russia, blocked=campaign.players["France"], press=press, since=campaign.now
    )
    return russia


def _warden(name: str, now: datetime, *, shown: bool, is_superuser: bool = False) -> Person:
    """Return a person who may enter the admin, with or without a second factor."""
    from games.accounts import two_factor
    from games.models import Person, SecondFactor

    warden = Person.objects.at(
        f"{name}@example.org", name=name.title(), is_staff=True, is_superuser=is_superuser
    )
    if shown:
        SecondFactor.objects.filter(pk=two_factor.begin(warden, now).pk).update(confirmed_at=now)
    return warden


KINDS = (
    "orders",
    "digit",
    "result",
    "position",
    "counter",
    "points",
    "option",
    "again",
    "rollback",
)


def click(selector: str) -> Callable[[sync_api.Page], None]:
    return lambda page: page.locator(selector).first.click()


def play_report(page: sync_api.Page) -> None:
    """Play a report until a row of the table lights up."""
    page.get_by_role("button", name="Play the report").click()
    page.locator("dialog.show .one-row.lit").wait_for()


def fill_in_preset(page: sync_api.Page) -> None:
    page.locator("details.presets > summary").click()
    page.locator("button[value=classroom]").click()


def rule_on_result(page: sync_api.Page) -> None:
    """Change the first attack of a phase and look at the preview."""
    for choice in page.locator("main form select").all()[:2]:
        choice.select_option(index=1)
    page.locator("main form button").first.click()


def send_a_forged_form(page: sync_api.Page) -> None:
    page.locator("select[name=option_ow2_tie]").evaluate(
        "choice => { choice.innerHTML = '<option value=coin>' }"
    )
    page.locator("form.opening input[type=text]").first.press("Enter")


def type_example(page: sync_api.Page) -> None:
    for box in page.locator(".listening textarea").all()[:2]:
        box.fill(f"{box.get_attribute('placeholder')}\n")
    page.locator("#back .code").first.wait_for()


def take(folder: Path, wanted: list[str], *, docs: bool) -> None:
    """Take all pictures, or only the named ones."""
    with served() as base, browser() as chromium:
        from games.base import clock
        from tests.support.staging import Stage

        stage = Stage.set_up(AT)
        clock.move(AT.timestamp() + 60 - time.time())  # setting up the games took a while
        for shown in pages(stage):
            if (wanted and shown.name not in wanted) or (docs and not shown.width):
                continue
            for width in (shown.width,) if docs else WIDTHS:
                for dark in (False,) if docs else (False, True):
                    with new_page(chromium, base, width, who=shown.who, dark=dark) as page:
                        shown.open(page)
                        end = "" if docs else f"-{width}{'-dark' if dark else ''}"
                        keep(page, folder / f"{shown.name}{end}.png", width, tall=shown.tall * docs)
        if not docs:
            letters(chromium, folder, wanted)
            printouts(stage, folder, wanted)


def keep(page: sync_api.Page, file: Path, width: int, *, tall: int = 0) -> None:
    """Save a picture of the whole page with its maps, or only of its top `tall` pixels."""
    page.evaluate(COMPLETE)
    wide, high = page.evaluate("(e => [e.scrollWidth, e.scrollHeight])(document.documentElement)")
    page.screenshot(
        path=file,
        full_page=True,
        clip={"x": 0, "y": 0, "width": wide, "height": min(high, tall or high)},
    )
    if tall:  # these go with every clone; 256 colors shrink them to a third
        with Image.open(file) as picture:
            picture.convert("RGB").quantize(
                256, Image.Quantize.MAXCOVERAGE, kmeans=3, dither=Image.Dither.NONE
            ).save(file, optimize=True)
    print(
        f"{file.stem}: {page.title()}"
        + (f" IS {wide} WIDE: {page.evaluate(WIDE)}" if wide > width else "")
    )


def letters(chromium: sync_api.Browser, folder: Path, wanted: list[str]) -> None:
    """Save the newest letter of each kind as HTML; report kinds without one."""
    from games.letters import pictures, rendering
    from games.models import Letter
    from games.outbox.messages import KINDS

    for kind in KINDS:
        if wanted and f"letter-{kind}" not in wanted and "letters" not in wanted:
            continue
        letter = (
            Letter.objects.filter(kind=kind)
            .select_related("game", "phase", "person")
            .order_by("-pk")
            .first()
        )
        if letter is None:
            print(f"letter-{kind}: NONE WAS WRITTEN")
            continue
        set_in = rendering.render(letter)
        (folder / f"letter-{kind}.txt").write_text(f"{set_in.subject}\n\n{set_in.text}")
        html = (folder / f"letter-{kind}.html").resolve()
        html.write_text(pictures.embed(set_in.html, set_in.picture))
        for width in LETTER_WIDTHS:
            for dark in (False, True):
                with new_page(chromium, html.parent.as_uri(), width, dark=dark) as page:
                    page.goto(html.as_uri())
                    name = f"letter-{kind}-{width}{'-dark' if dark else ''}"
                    keep(page, folder / f"{name}.png", width)


def printouts(stage: Stage, folder: Path, wanted: list[str]) -> None:
    """Save every printout page by page, if the machine has `pdftoppm`."""
    from games import print as paper
    from games.letters import printing
    from games.models import PrintedCode
    from games.web.scenarios.tables import tables_of
    from games.ww2_multiplayer import printing as reports

    program = shutil.which("pdftoppm")
    if not program or (wanted and "printouts" not in wanted):
        return
    game, seat, now = stage.paper.game, stage.paper.seat("Britain"), stage.now
    made = {
        "printout-letters": paper.letters_pdf(list(printing.letters_to_print(game)), now),
        "printout-board": paper.board_pdf(game, seat, now),
        "printout-form": paper.order_form_pdf(stage.lights.phase, stage.lights.seat("Germany")),
    }
    sister, war = stage.treaties, stage.war
    made["printout-ww1-board"] = paper.board_pdf(sister.game, sister.seat("Britain"), now)
    made["printout-ww1-form"] = paper.order_form_pdf(sister.phase, sister.seat("Germany"))
    made["printout-ww1"] = paper.scenario_pdf(sister.game.card, tables_of(sister.game.card), now)
    made["printout-war-board"] = paper.board_pdf(war.game, None, now)
    made["printout-war-form"] = paper.order_form_pdf(war.phase, war.seat("Germany"))
    made["printout-war-referee"] = reports.referee_form_pdf(war.phase)
    made["printout-war"] = paper.scenario_pdf(war.game.card, tables_of(war.game.card), now)
    codes = (
        PrintedCode.objects.filter(game=stage.school.game)
        .select_related("person")
        .order_by("person__name")
    )
    made["printout-slips"] = paper.slips_pdf(stage.school.game, list(codes), now)
    for name, content in made.items():
        (folder / f"{name}.pdf").write_bytes(content)
        subprocess.run(
            [program, "-r", "70", "-png", f"{folder / name}.pdf", str(folder / name)], check=True
        )
        print(name)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.support.pictures", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "name",
        nargs="*",
        help=("only these; letters by letter-<kind> or all as “letters”, printouts as “printouts”"),
    )
    parser.add_argument(
        "--docs",
        action="store_true",
        help="only the pictures of the book, one of each, under their bare names",
    )
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    take(given.folder, given.name, docs=given.docs)


if __name__ == "__main__":
    main()
