"""Rulings through the desk: preview, reason, publication, proof (issue of the desk 2 and 3)."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from games import desk, positions
from games.letters import rendering
from games.models import Game, Letter, Person, Phase, Ruling
from games.rules import RulesError
from games.turns import rulings
from games.web.desk import rulings as pages
from orders.intake import ledger
from tests.support.browsing import log_in
from tests.support.campaign import NATIONS, Campaign, person
from tests.support.letters import letter_text
from tests.support.stored import stored
from tests.web.conftest import Browser, Watch

pytestmark = pytest.mark.django_db
REASON = "The newspaper says otherwise, and so it is."
ATTACKS = 2  # the number of the phase that is ruled on


@pytest.fixture
def judged(watch: Watch, db: None) -> Campaign:
    """Return a campaign with turn 1 judged: Germany's 8 attacked Russia's 4 in Poland; an order of
    France came late."""
    campaign = stored("judged", judge_turn_1)
    watch.set(campaign.now)
    return campaign


def judge_turn_1() -> Campaign:
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 8 Poland")
    campaign.order("Russia", "PLACE 4 Poland")
    campaign.order("France", "PLACE 5 Rhineland")
    campaign.pass_deadline()
    attacks = campaign.phase
    campaign.order("Germany", "ATTACK Poland: Russia STOCK GE")
    campaign.pass_deadline()
    assert attacks.number == ATTACKS
    late = ledger.Arrival("web", campaign.players["France"], campaign.now, meant_for=attacks)
    ledger.receive(campaign.seat("France"), "UNDERSTANDING Rhineland", late)
    return campaign


def where(game: Game, kind: str, number: int = ATTACKS) -> str:
    return reverse("desk-ruling-new", args=[game.pk, number, kind])


def position_typed(client: Client, game: Game) -> dict[str, str]:
    """Return the whole grid as the page shows it, with 3 PFs of the USA in Italy."""
    form = client.get(where(game, "position")).context["form"]
    initial = {name: field.initial for name, field in form.fields.items() if field.initial}
    form_of = {name: str(value) for name, value in initial.items() if name.startswith("pf-")}
    form_of |= {name: "on" for name, value in initial.items() if value is True}
    place = form.case.areas.index("Italy") * len(NATIONS) + NATIONS.index("USA")
    return {**form_of, f"pf-{place}": "3"}


def other_result(game: Game) -> str:
    """Return a result other than that of the attack."""
    event = next(row for row in newest(game).events if row["kind"] == "attack")
    return "A" if event["result"] != "A" else "D"


def newest(game: Game, number: int = ATTACKS) -> Any:
    resolution = positions.newest_resolution(game.phases.get(number=number))
    assert resolution is not None
    return resolution


def form_of(kind: str, client: Client, campaign: Campaign) -> dict[str, str]:
    """Return what is typed in for each kind of ruling."""
    game = campaign.game
    late = game.submissions.get(late=True).label
    data: dict[str, dict[str, str]] = {
        "orders": {"nation": "Germany", "how": "amended", "text": "PASS"},
        "orders in plain words": {"nation": "Germany", "how": "amended"}
        | {"text": "We attack Russia in Poland, stock GE."},
        "orders struck": {"nation": "Germany", "how": "struck"},
        "orders accepted late": {"nation": "France", "how": "accepted", "submission": late},
        "digit": {"stock": "ge", "hundreds": "54120"},
        "counter": {"nation": "France", "area": "Rhineland"}
        | {"counter": "understanding", "given": "yes"},
        "points": {"nation": "Russia", "points": "3"},
        "option": {"option": "ow2.x_attacker_loss=all"},
        "again": {},
        "rollback": {},
    }
    if kind == "position":
        return position_typed(client, game)
    if kind == "result":
        return {"attack": "Germany/1", "result": other_result(game)}
    return data[kind]


def text(response: Any) -> str:
    assert response.status_code == 200, response.status_code
    return str(response.content.decode())


def rule(client: Client, address: str, data: dict[str, str], reason: str = REASON) -> None:
    """Preview a ruling and make it."""
    shown = token(text(client.post(address, {**data, "step": "preview"})))
    carried = {**data, "step": "rule", "token": shown, "reason": reason}
    assert client.post(address, carried).status_code == 302


def token(page: str) -> str:
    match = re.search(r'name="token" value="([^"]+)"', page)
    assert match, "the page carries no effect"
    return match[1]


def the_record_holds(game: Game, folder: Path) -> None:
    """Check that `exportgame` passes `verify`, whole and public, and that `importgame` reads the
    whole one."""
    for name, more in (("whole", []), ("public", ["--public"])):
        out, verdict = StringIO(), StringIO()
        call_command("exportgame", str(game.pk), *more, stdout=out)
        written = folder / f"{name}.json"
        written.write_text(out.getvalue())
        call_command("verify", str(written), stdout=verdict)  # else it exits
        assert verdict.getvalue().strip()
    call_command("importgame", str(folder / "whole.json"), stdout=StringIO())


def told_by_letter(ruling: Ruling, why: str) -> None:
    """Check that players and gamesmaster got one letter each, with ruling, reason and the complete
    new board."""
    letters = list(Letter.objects.filter(game=ruling.game, kind="ruled", about__ruling=ruling.pk))
    assert sorted(letter.address for letter in letters) == sorted({*PLAYERS, "ada@example.org"})
    written = letter_text(letters[0])
    assert why in written
    assert ruling.words in written
    assert "THE BOARD NOW" in written
    game = ruling.game
    cells = game.rules.board(game.load(positions.position(game))).cells
    assert all(area in written for area, here in cells.items() if here)


def test_ruling_on_a_figure_shows_what_it_decides_and_is_the_one_figure_afterwards(
    judged: Campaign, as_: Browser
) -> None:
    attack = next(event for event in newest(judged.game).events if event["kind"] == "attack")
    settled = f"{attack['volume']:,}"
    form = text(as_("ada").get(where(judged.game, "digit")))
    row = " ".join(
        form.partition("The figures that decide now")[2].partition("</table>")[0].split()
    )
    assert settled in row
    assert f">{attack['digit']}</td>" in row
    assert f"{attack['nation']} in {attack['area']}: {attack['result']}" in row
    ruled = {"stock": attack["stock"], "shares": "5412000"}
    rule(as_("ada"), where(judged.game, "digit"), ruled)
    address = reverse("phase", args=[judged.game.pk, ATTACKS])
    figures = text(as_("una").get(address)).partition('aria-label="Sales figures"')[2]
    assert "5,412,000" in figures
    assert f"Ruling 1, in place of {settled}." in figures


FORMS = ["orders", "digit", "result", "counter", "position", "points", "option", "again"]
FORMS += ["rollback"]
PLAYERS = {f"{name}@example.org" for name in ("una", "felix", "bea", "rosa", "gustav")}


@pytest.mark.parametrize("kind", [*FORMS, "orders struck", "orders accepted late"])
def test_every_kind_of_ruling_is_made_and_revoked_through_the_pages(
    kind: str, judged: Campaign, as_: Browser, tmp_path: Path
) -> None:
    """Issue 5, must show: version, letters, public list, `exportgame`, `verify`, revoked."""
    client, game = as_("ada"), judged.game
    before, address = positions.position(game), where(game, kind.split()[0])
    data = form_of(kind, client, judged)
    phases = {phase.number: phase.status for phase in game.phases.all()}

    page = text(client.post(address, {**data, "step": "preview"}))
    assert "autofocus>Effect</h2>" in page, "the keyboard, and the window, go on there"
    assert not Ruling.objects.exists(), "looking at the effect rules nothing"
    carried = {**data, "step": "rule", "token": token(page)}
    refused = text(client.post(address, {**carried, "reason": "  "}))
    assert "Enter a reason" in refused
    assert "autofocus>Effect</h2>" not in refused, "here they go to the fault"
    assert not Ruling.objects.exists(), "a reason is required"
    assert client.post(address, {**carried, "reason": REASON}).status_code == 302

    ruling = Ruling.objects.get()
    assert (ruling.number, ruling.made_by, ruling.reason) == (1, judged.ada, REASON)
    if kind == "rollback":
        assert game.phases.get(number=ATTACKS).status == Phase.Status.UNDONE
        assert game.phases.current() == game.phases.get(number=4)
    else:
        assert (newest(game).version, newest(game).ruling) == (2, ruling)
    told_by_letter(ruling, REASON)
    rulings_page = text(as_().get(reverse("rulings", args=[game.pk])))
    assert REASON in rulings_page

    address = reverse("desk-ruling-revoke", args=[game.pk, 1])
    page = text(client.get(address))
    assert "Enter a reason" in text(client.post(address, {"token": token(page), "reason": ""}))
    revoking = {"token": token(page), "reason": "It was a misprint."}
    assert client.post(address, revoking).status_code == 302
    revocation = Ruling.objects.get(number=2)
    assert revocation.revokes == ruling
    told_by_letter(revocation, "It was a misprint.")
    if kind != "rollback":
        assert (newest(game).version, newest(game).ruling) == (3, revocation)
    assert positions.position(game) == before
    assert phases.items() <= {phase.number: phase.status for phase in game.phases.all()}.items()
    rulings_page = text(as_().get(reverse("rulings", args=[game.pk])))
    assert "It was a misprint." in rulings_page
    assert "Revoked by" in rulings_page
    the_record_holds(game, tmp_path)


def test_ruling_on_placements_judges_the_later_attacks_again(
    judged: Campaign, as_: Browser, tmp_path: Path
) -> None:
    """Issue 5.2: later phases are judged again; the letter has both reports."""
    data, address = {"nation": "Russia", "how": "struck"}, where(judged.game, "orders", 1)
    rule(as_("ada"), address, data)
    ruling = Ruling.objects.get()
    for number in (1, 2):
        resolution = newest(judged.game, number)
        assert (resolution.version, resolution.ruling) == (2, ruling)
    (written,) = judged.letters("ruled", "gustav")
    letter = rendering.render(written).text
    assert "TURN 1, PLACEMENT, JUDGED AGAIN (VERSION 2)" in letter
    assert "TURN 1, ATTACKS, JUDGED AGAIN (VERSION 2)" in letter
    the_record_holds(judged.game, tmp_path)


def test_ruling_that_needs_unread_sales_is_refused_with_the_reason(
    judged: Campaign, as_: Browser
) -> None:
    """Issue 5.2; what was typed is kept."""
    orders = "ATTACK Poland: Russia STOCK MSFT"
    data = {"nation": "Germany", "how": "amended", "text": orders, "step": "preview"}
    page = text(as_("ada").post(where(judged.game, "orders"), data))
    assert "would need the sales of MSFT, which were never settled. Rule MSFT in that" in page
    assert orders in page
    assert not Ruling.objects.exists()


def test_amending_orders_begins_with_those_of_the_chosen_nation(
    judged: Campaign, as_: Browser
) -> None:
    client, address = as_("ada"), where(judged.game, "orders")
    page = text(client.get(address))
    assert '<a href="?nation=Germany#ruling-nation">Germany</a>' in page, (
        "the keyboard goes on there"
    )
    assert '<select name="nation"' not in page
    page = text(client.get(address, {"nation": "Germany"}))
    assert '<strong aria-current="true">Germany</strong>' in page
    assert '<input type="hidden" name="nation" value="Germany">' in page
    sent = judged.game.submissions.filter(phase__number=ATTACKS, seat__nation="Germany").latest(
        "pk"
    )
    assert escape(sent.text.strip()) in page
    page = text(client.post(address, {"how": "amended", "text": "PASS", "step": "preview"}))
    assert "autofocus>Choose the nation." in page, "links choose it: there is no field to go to"


def test_effect_heads_faulty_lines_apart_from_warnings(judged: Campaign, as_: Browser) -> None:
    data = {"nation": "Germany", "how": "amended", "text": "PLACE 2 Austra\nPASS"}
    page = text(as_("ada").post(where(judged.game, "orders"), {**data, "step": "preview"}))
    assert "These lines do not count:" in page
    assert "The orders would read" not in page


def test_ruling_on_a_counter_says_an_understanding(judged: Campaign) -> None:
    state = positions.state_of(judged.phase)
    edit = judged.game.rules.editor.edits["counter"]
    given = edit(state, "France", "Rhineland", "understanding", True)
    with pytest.raises(RulesError, match="France already has an Understanding in Rhineland"):
        edit(given, "France", "Rhineland", "understanding", True)
    with pytest.raises(RulesError, match="France has no Understanding in Rhineland to lose"):
        edit(state, "France", "Rhineland", "understanding", False)


def test_submissions_have_times_in_the_zone_of_the_reader(judged: Campaign, as_: Browser) -> None:
    Person.objects.filter(pk=judged.ada.pk).update(zone="Asia/Tokyo")
    page = text(as_("ada").get(where(judged.game, "orders")))
    choices = page.partition('name="submission"')[2].partition("</select>")[0]
    assert "JST" in choices
    assert "UTC" not in choices


@pytest.mark.parametrize("kind", FORMS)
def test_form_of_every_kind_of_ruling_opens(kind: str, judged: Campaign, as_: Browser) -> None:
    assert "Show the effect" in text(as_("ada").get(where(judged.game, kind)))


def test_preview_shows_both_boards_and_their_differences_in_words(
    judged: Campaign, as_: Browser
) -> None:
    data = {"attack": "Germany/1", "result": other_result(judged.game)}
    page = preview_of(as_("ada"), judged.game, "result", data, ATTACKS)
    assert "The attack of Germany in Poland (line 1 of its orders)" in page
    assert "Board now" in page
    assert "Board after the ruling" in page
    assert "No longer:" in page, "what is dropped is said in words, not by colour alone"


# --- permissions ---


@pytest.mark.parametrize(
    "address",
    [
        lambda game: where(game, "points"),
        lambda game: reverse("desk-ruling-phase", args=[game.pk, ATTACKS]),
        lambda game: reverse("desk-rulings", args=[game.pk]),
        lambda game: reverse("desk-approval", args=[game.pk]),
    ],
)
def test_ruling_pages_are_for_gamesmasters_of_the_game_only(
    address: Any, judged: Campaign, as_: Browser
) -> None:
    other = Campaign.begin()
    other.game.gamesmasters.set([person("dana")])
    page = address(judged.game)
    assert as_().get(page).status_code == 302
    for name in ("charlie", "gustav", "dana"):
        assert as_(name).get(page).status_code == 403, name
    assert as_("ada").get(page).status_code == 200


def test_only_gamesmasters_rule_or_revoke(judged: Campaign, as_: Browser) -> None:
    data = {"nation": "Russia", "points": "3", "step": "preview"}
    page = text(as_("ada").post(where(judged.game, "points"), data))
    carried = {**data, "step": "rule", "token": token(page), "reason": REASON}
    for name in ("charlie", "rosa"):
        assert as_(name).post(where(judged.game, "points"), carried).status_code == 403
    assert as_().post(where(judged.game, "points"), carried).status_code == 403
    assert not Ruling.objects.exists()
    assert as_("ada").post(where(judged.game, "points"), carried).status_code == 302
    revoke = reverse("desk-ruling-revoke", args=[judged.game.pk, 1])
    assert as_("rosa").get(revoke).status_code == 403
    assert as_("rosa").post(revoke, {"reason": "I say so."}).status_code == 403
    other = Campaign.begin()
    assert as_("ada").get(reverse("desk-ruling-revoke", args=[other.game.pk, 1])).status_code == 404


def test_ruling_page_makes_no_ruling_by_get(judged: Campaign, as_: Browser) -> None:
    address, data = where(judged.game, "points"), {"nation": "Russia", "points": "3"}
    link = as_("ada").get(address, {**data, "step": "rule", "reason": "x"})
    assert link.status_code == 200
    assert as_("ada").put(address).status_code == 405
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(judged.ada, backend="django.contrib.auth.backends.ModelBackend")
    assert strict.post(address, data).status_code == 403
    assert not Ruling.objects.exists()


def test_open_phase_and_unknown_kind_have_no_ruling_page(judged: Campaign, as_: Browser) -> None:
    assert as_("ada").get(where(judged.game, "orders", judged.phase.number)).status_code == 404
    assert as_("ada").get(where(judged.game, "dance")).status_code == 404
    of_placement = where(judged.game, "digit", 1)
    assert as_("ada").get(of_placement).status_code == 404, "a placement has no digits"


# --- typed text is kept ---


def test_second_of_two_gamesmasters_gets_a_new_preview_with_the_typed_text(
    judged: Campaign, as_: Browser
) -> None:
    judged.game.gamesmasters.add(person("dana"))
    address, data = where(judged.game, "points"), {"nation": "Russia", "points": "3"}
    second = token(text(as_("dana").post(address, {**data, "step": "preview"})))
    rule(as_("ada"), address, data)
    slow = {**data, "step": "rule", "reason": "I was slow."}
    page = text(as_("dana").post(address, {**slow, "token": second}))
    assert "autofocus>There was another ruling" in page, "the keyboard goes to what is wrong"
    assert "I was slow." in page
    assert 'value="3"' in page
    assert Ruling.objects.count() == 1
    assert as_("dana").post(address, {**slow, "token": token(page)}).status_code == 302
    assert Ruling.objects.count() == 2


def test_changed_input_is_previewed_again_before_it_is_ruled(
    judged: Campaign, as_: Browser
) -> None:
    address, data = where(judged.game, "points"), {"nation": "Russia", "points": "3"}
    shown = token(text(as_("ada").post(address, {**data, "step": "preview"})))
    changed = {"nation": "Russia", "points": "30", "step": "rule", "token": shown, "reason": REASON}
    page = text(as_("ada").post(address, changed))
    assert "changed the ruling since you saw its effect" in page
    assert not Ruling.objects.exists()


@pytest.mark.parametrize(
    ("kind", "data", "sentence"),
    [
        ("points", {"nation": "Russia", "points": "0"}, "“0” changes nothing"),
        ("points", {"nation": "Russia", "points": "many"}, "“many” is not a whole number"),
        ("points", {"nation": "Narnia", "points": "1"}, "“Narnia” is not one of the choices"),
        (
            "orders",
            {"nation": "Germany", "how": "amended", "text": " "},
            "remove all orders, strike",
        ),
        ("orders", {"nation": "Germany", "how": "accepted"}, "Choose a submission"),
        (
            "digit",
            {"stock": "GE", "shares": "100", "hundreds": "1"},
            "Enter the shares or the hundreds",
        ),
        ("digit", {"stock": "GE", "shares": "5,41"}, "“5,41” is not a whole number of shares"),
        ("digit", {"stock": "GE", "shares": "9" * 13}, "must be at most 1,000,000,000,000."),
        ("rollback", {"deadline": "tomorrow"}, "“tomorrow” is not a date and time"),
        ("rollback", {"deadline": "2020-01-01T09:00"}, "The deadline must be in the future"),
        ("rollback", {"deadline": "2099-01-01T09:00"}, "at most 366 days ahead"),
    ],
)
def test_bad_ruling_input_is_quoted_with_advice(
    kind: str, data: dict[str, str], sentence: str, judged: Campaign, as_: Browser
) -> None:
    """Before the effect is shown and a reason typed: a past deadline was refused only with the
    last button."""
    fields = {**data, "step": "preview", "reason": "Kept <all> the same."}
    assert sentence in text(as_("ada").post(where(judged.game, kind), fields))
    assert not Ruling.objects.exists()


@pytest.mark.parametrize("typed", ["5412300", "5,412,300", "5 412 300", "5’412’300"])
def test_figure_is_typed_as_a_newspaper_prints_it(
    typed: str, judged: Campaign, as_: Browser
) -> None:
    data = {"stock": "GE", "shares": typed, "step": "preview"}
    shown = text(as_("ada").post(where(judged.game, "digit"), data))
    assert "The sales of GE count as 5,412,300." in shown


@pytest.mark.parametrize(
    "data",
    [
        {"nation": "Germany", "how": "amended", "text": "PASS\0"},
        {"nation": "Germany", "how": "accepted", "submission": "999"},
    ],
)
def test_fault_of_a_ruling_is_said_once(
    data: dict[str, str], judged: Campaign, as_: Browser
) -> None:
    """What was typed is there: nobody is asked to type it as well as to mend it."""
    page = text(as_("ada").post(where(judged.game, "orders"), {**data, "step": "preview"}))
    assert page.count('class="fault"') == 1


def test_orders_that_cannot_be_read_are_refused_with_the_first_reason(
    judged: Campaign, as_: Browser
) -> None:
    data = {"nation": "Germany", "how": "amended", "text": "DANCE"}
    page = text(as_("ada").post(where(judged.game, "orders"), {**data, "step": "preview"}))
    assert "can be read. “DANCE”: no order begins with “DANCE”" in page


def test_no_ruling_is_offered_in_a_game_that_ended_early(judged: Campaign, as_: Browser) -> None:
    """It could only be refused."""
    ada, game = as_("ada"), judged.game
    rule(ada, where(game, "points"), {"nation": "Russia", "points": "3"})
    desk.abandon(game, "Enough.", judged.ada, judged.now)
    page = text(ada.get(reverse("desk-rulings", args=[game.pk])))
    assert "This game ended early, so its results stay as they are." in page
    assert "/rulings/phases/" not in page
    assert "Revoke ruling" not in page
    assert ada.get(where(game, "points")).status_code == 404
    phase = game.phases.get(number=ATTACKS)
    assert "Rule on this" not in text(ada.get(f"/admin/games/phase/{phase.pk}/change/"))


def test_submission_of_another_nation_is_not_accepted(judged: Campaign, as_: Browser) -> None:
    late = judged.game.submissions.get(late=True).label
    data = {"nation": "Germany", "how": "accepted", "submission": late, "step": "preview"}
    page = text(as_("ada").post(where(judged.game, "orders"), data))
    assert "Choose one of this nation’s submissions." in page


def test_unchanged_position_is_no_ruling(judged: Campaign, as_: Browser) -> None:
    client = as_("ada")
    data = position_typed(client, judged.game)
    changed = next(name for name, value in data.items() if value == "3" and name.startswith("pf-"))
    data |= {changed: "", "step": "preview"}
    assert "Nothing is changed" in text(client.post(where(judged.game, "position"), data))


# --- the phase page, privacy, approval ---


def test_phase_page_names_the_ruling_and_links_to_the_earlier_version(
    judged: Campaign, as_: Browser
) -> None:
    rule(as_("ada"), where(judged.game, "orders"), {"nation": "Germany", "how": "struck"})
    address = reverse("phase", args=[judged.game.pk, ATTACKS])
    page = text(as_().get(address))
    assert "This result was made by" in page
    assert "Germany against Russia in Poland" not in page
    old = text(as_().get(address, {"version": "1"}))
    assert "before a ruling" in old
    assert "against Russia in Poland" in old


def test_ruling_page_hides_open_orders_from_a_playing_gamesmaster(
    watch: Watch, as_: Browser
) -> None:
    people = {"USA": "me", "Germany": "gustav@example.org"}
    campaign = Campaign.begin(seats=dict.fromkeys(NATIONS, "bot") | people)
    Phase.objects.filter(pk=campaign.phase.pk).update(kind="attacks")
    campaign.order("Germany", "PASS # secret")
    Phase.objects.filter(pk=campaign.phase.pk).update(status=Phase.Status.HELD, held_from="drawing")
    phase = campaign.phase
    case = pages._case(phase, campaign.ada)
    assert "Germany" not in case.readable
    assert pages._initial(case, "orders", {"nation": "Germany"}) == {
        "nation": "Germany",
        "how": "amended",
    }
    page = text(as_("ada").get(where(campaign.game, "orders", phase.number)))
    assert "No. 1, Germany" not in page, "how much the others sent, and when"


@pytest.fixture
def waiting(watch: Watch, db: None) -> Campaign:
    """Return a campaign with a result that waits up to 12 hours for Ada's approval."""
    campaign = Campaign.begin()
    Game.objects.filter(pk=campaign.game.pk).update(approval_hours=12)
    campaign.order("Germany", "PLACE 8 Poland")
    campaign.wait_until(campaign.phase.deadline)
    assert campaign.phase.status == Phase.Status.APPROVAL
    watch.set(campaign.now)
    return campaign


def test_result_for_approval_is_shown_to_the_gamesmaster_only_and_released(
    waiting: Campaign, as_: Browser
) -> None:
    game, address = waiting.game, reverse("desk-approval", args=[waiting.game.pk])
    page = text(as_("ada").get(address))
    assert "8" in page
    assert "Poland" in page
    assert as_("gustav").get(address).status_code == 403
    assert "8 PFs" not in text(as_("gustav").get(game.get_absolute_url()))
    assert "waits for your approval" in text(as_("ada").get(reverse("desk", args=[game.pk])))

    # Issue 43: the page says how many letters go out, as a ruling does.
    sent = len(waiting.players) + game.gamesmasters.count()
    assert f"Publish now and send {sent} letters" in page
    release = reverse("desk-release", args=[game.pk, 1])
    assert as_("ada").get(release).status_code == 405
    assert as_("gustav").post(release).status_code == 403
    assert as_("charlie").post(release).status_code == 403
    assert as_("ada").post(release).status_code == 302
    # gamesmaster.md B7: the desk still said “waits for your approval” until the next tick.
    desk_page = text(as_("ada").get(reverse("desk", args=[game.pk])))
    assert "waits for your approval" not in desk_page
    waiting.wait_until(waiting.now + timedelta(seconds=1))
    assert game.phases.get(number=1).status == Phase.Status.RESOLVED
    assert len(waiting.letters("board")) == sent
    page_after = text(as_("ada").post(release, follow=True))
    assert "has been published" in page_after


def test_ruling_on_a_result_for_approval_is_published_with_it(
    waiting: Campaign, as_: Browser
) -> None:
    client, game = as_("ada"), waiting.game
    data = {"nation": "Germany", "how": "amended", "text": "PLACE 2 Austria"}
    rule(client, where(game, "orders", 1), data)
    assert REASON not in text(as_("gustav").get(reverse("rulings", args=[game.pk])))
    assert REASON in text(client.get(reverse("desk-rulings", args=[game.pk])))
    client.post(reverse("desk-release", args=[game.pk, 1]))
    waiting.wait_until(waiting.now + timedelta(seconds=1))
    assert waiting.board()["Austria"]["Germany"].pf == 2
    assert REASON in text(as_("gustav").get(reverse("rulings", args=[game.pk])))


def test_revocation_before_the_result_promises_no_letter(waiting: Campaign, as_: Browser) -> None:
    """Like the ruling, it goes out with the result."""
    client, game = as_("ada"), waiting.game
    rule(client, where(game, "points", 1), {"nation": "Russia", "points": "3"})
    revoke, letters = (
        reverse("desk-ruling-revoke", args=[game.pk, 1]),
        len(waiting.letters("ruled")),
    )
    carried = {"token": token(text(client.get(revoke))), "reason": REASON}
    page = text(client.post(revoke, carried, follow=True))
    assert "is revoked by ruling 2. Players see it with the result of its phase." in page
    assert len(waiting.letters("ruled")) == letters


def preview_of(client: Client, game: Game, kind: str, data: dict[str, str], number: int) -> str:
    return text(client.post(where(game, kind, number), {**data, "step": "preview"}))


def test_preview_on_a_waiting_result_compares_with_that_result(
    waiting: Campaign, as_: Browser
) -> None:
    """gamesmaster.md B1: Germany's 8 in Poland come from the waiting result, not from the
    ruling."""
    points = {"nation": "Russia", "points": "3"}
    page = preview_of(as_("ada"), waiting.game, "points", points, 1)
    assert "waits for your approval" in page
    assert "not resolved yet" not in page
    assert "Poland:" not in page
    assert "The board does not change." in page
    assert "3, not 0" in page


def test_preview_on_a_waiting_result_shows_only_the_rulings_changes(
    waiting: Campaign, as_: Browser
) -> None:
    amended = {"nation": "Germany", "how": "amended", "text": "PLACE 7 Poland"}
    page = preview_of(as_("ada"), waiting.game, "orders", amended, 1)
    assert "Poland: " in page
    assert "has 7 PFs, not 8 PFs" in page


def test_rollback_of_a_paused_game_asks_for_no_deadline_and_says_that_it_stays_paused(
    judged: Campaign, as_: Browser
) -> None:
    client, game = as_("ada"), judged.game
    desk.pause(game, "Something is wrong.", judged.ada, judged.now)
    page = preview_of(client, game, "rollback", {}, ATTACKS)
    assert "The game stays paused: orders are due once you resume it." in page
    assert 'name="deadline"' not in page
    rule(client, where(game, "rollback"), {})
    times = text(client.get(reverse("desk-times", args=[game.pk])))
    assert "left before the deadline" in times
    assert "2999" not in times
    address = reverse("desk-ruling-revoke", args=[game.pk, 1])
    assert 'name="deadline"' not in text(client.get(address))


def test_late_orders_are_at_the_desk_until_a_ruling_lets_them_count(
    judged: Campaign, as_: Browser
) -> None:
    """The book: late orders change nothing “unless you rule that they count”; nobody said so."""
    client, game = as_("ada"), judged.game
    at_desk, words = reverse("desk", args=[game.pk]), "Came late, and change nothing"
    shown = text(client.get(at_desk))
    assert words in shown
    late = game.submissions.get(late=True)
    leads = where(game, "orders") + f"?nation=France&amp;submission={late.label}"
    assert leads in shown
    assert leads in text(client.get(late.get_absolute_url())), "and on their receipt"
    form = client.get(html.unescape(leads)).context["form"]
    filled_in = {name: form[name].value() for name in ("nation", "how", "submission")}
    assert filled_in == {"nation": "France", "how": "accepted", "submission": late.label}

    rule(client, where(game, "orders"), filled_in)
    assert newest(game).orders["France"] == late.text
    assert words not in text(client.get(at_desk))
    address = reverse("desk-ruling-revoke", args=[game.pk, 1])
    client.post(address, {"token": token(text(client.get(address))), "reason": "No."})
    assert words in text(client.get(at_desk)), "revoked: they count for nothing again"


@pytest.mark.parametrize("how", ["amended", "struck"])
def test_late_orders_are_not_at_the_desk_after_another_ruling_on_them(
    how: str, judged: Campaign, as_: Browser
) -> None:
    """The gamesmaster has decided what that nation ordered."""
    client, game = as_("ada"), judged.game
    at_desk, words = reverse("desk", args=[game.pk]), "Came late, and change nothing"
    text_of_ruling = {"text": "PASS"} if how == "amended" else {}
    rule(client, where(game, "orders"), {"nation": "USA", "how": how, **text_of_ruling})
    assert words in text(client.get(at_desk)), "of another nation"
    rule(client, where(game, "orders"), {"nation": "France", "how": how, **text_of_ruling})
    assert words not in text(client.get(at_desk))


def test_desk_lists_a_ruling_among_the_recent_actions(judged: Campaign, as_: Browser) -> None:
    """Who runs a game with others looks there for what they have done."""
    client, game = as_("ada"), judged.game
    desk.pause(game, "Something is wrong.", judged.ada, judged.now)
    rule(client, where(game, "rollback"), {})
    made, *_ = re.findall(
        "<li>.*?</li>",
        text(client.get(reverse("desk", args=[game.pk]))).partition("Recent actions")[2],
        re.DOTALL,
    )
    assert f"Ruling 1: {Ruling.objects.get().words}" in html.unescape(made)


def test_accepted_submission_names_its_nation(judged: Campaign, as_: Browser) -> None:
    """Both had to be chosen, and could contradict each other."""
    client, address = as_("ada"), where(judged.game, "orders")
    late = judged.game.submissions.get(late=True)
    rule(client, address, {"how": "accepted", "submission": late.label})
    assert Ruling.objects.get().what == {"nation": "France", "submission": late.number}


def test_gamesmaster_who_plays_is_shown_no_number_that_counts_all_submissions(
    judged: Campaign, as_: Browser
) -> None:
    """Design 8: it tells how much the others send. Late orders are told by their nation's own."""
    judged.game.gamesmasters.add(judged.players["USA"])
    late, client = judged.game.submissions.get(late=True), as_("una")
    for address in (reverse("desk", args=[judged.game.pk]), where(judged.game, "orders")):
        page = text(client.get(address))
        assert f'{late.label}"' in page
        assert not re.search(rf'(<option value="|submission=){late.number}"', page)


def test_report_leads_who_runs_the_game_to_a_ruling_on_it(judged: Campaign, as_: Browser) -> None:
    leads = reverse("desk-ruling-phase", args=[judged.game.pk, ATTACKS])
    report = reverse("phase", args=[judged.game.pk, ATTACKS])
    assert leads in text(as_("ada").get(report))
    assert leads not in text(as_("felix").get(report))
    still_open = reverse("phase", args=[judged.game.pk, judged.phase.number])
    assert "Rule on this phase" not in text(as_("ada").get(still_open))


@pytest.mark.parametrize("kind", ["points", "rollback", "orders in plain words"])
def test_second_press_of_the_button_makes_no_second_ruling_and_says_it_is_made(
    kind: str, judged: Campaign, as_: Browser
) -> None:
    """The browser shows the answer to the second press: “not made yet” led to a third."""
    client, address = as_("ada"), where(judged.game, kind.split()[0])
    data = form_of(kind, client, judged)
    shown = token(text(client.post(address, {**data, "step": "preview"})))
    press = {**data, "step": "rule", "token": shown, "reason": REASON}
    for _ in range(2):
        page = text(client.post(address, press, follow=True))
        assert "Ruling 1 is made" in page
        assert "not made yet" not in page
    assert judged.game.rulings.count() == 1

    address = reverse("desk-ruling-revoke", args=[judged.game.pk, 1])
    press = {"token": token(text(client.get(address))), "reason": "A misprint.", "step": "rule"}
    for _ in range(2):
        page = text(client.post(address, press, follow=True))
        assert "Ruling 1 is revoked by ruling 2" in page
        assert "not possible" not in page
    assert judged.game.rulings.count() == 2


def test_other_tab_is_not_told_that_its_ruling_is_made(judged: Campaign, as_: Browser) -> None:
    """Three tabs show the effect of three rulings, two of them alike but for the phase; only the
    first to be made is."""
    client, tabs = as_("ada"), []
    for phase, points in ((ATTACKS, "3"), (ATTACKS, "2"), (ATTACKS - 1, "3")):
        address, data = where(judged.game, "points", phase), {"nation": "Russia", "points": points}
        shown = token(text(client.post(address, {**data, "step": "preview"})))
        tabs.append((address, {**data, "step": "rule", "token": shown, "reason": REASON}))
    (address, press), *others = tabs
    assert "Ruling 1 is made" in text(client.post(address, press, follow=True))
    for address, press in others:
        assert "your ruling is not made yet" in text(client.post(address, press))
    assert judged.game.rulings.count() == 1


def test_ruling_that_changes_nothing_says_so_and_counts_its_letters(
    judged: Campaign, as_: Browser
) -> None:
    """gamesmaster.md U5: 5 players and the gamesmaster would get a letter about no change."""
    same = {"nation": "Germany", "how": "amended", "text": "ATTACK Poland: Russia STOCK GE"}
    page = preview_of(as_("ada"), judged.game, "orders", same, ATTACKS)
    assert "This ruling changes nothing on the board" in page
    assert "6 letters would be sent" in page
    assert "resolved again" not in page, "said once"
    other = preview_of(as_("ada"), judged.game, "points", {"nation": "Russia", "points": "3"}, 2)
    assert "changes nothing" not in other
    assert "6 letters are sent with it" in other


def test_only_attacks_with_a_result_are_offered(watch: Watch) -> None:
    """gamesmaster.md B4: an attack on a nation that is not in the area is void and has no
    result."""
    campaign = Campaign.begin()
    watch.set(campaign.now)
    campaign.order("Germany", "PLACE 8 Poland")
    campaign.order("Russia", "PLACE 4 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: Russia STOCK GE\nATTACK Poland: France STOCK GM")
    campaign.pass_deadline()
    page = text(log_in(campaign.ada).get(where(campaign.game, "result")))
    assert "Germany against Russia in Poland" in page
    assert "Germany against France in Poland" not in page


def test_kinds_with_nothing_to_rule_on_are_not_offered(watch: Watch) -> None:
    """“Result of an attack” opened an empty list where nobody had attacked."""
    campaign = Campaign.begin()
    campaign.pass_deadline()
    campaign.pass_deadline()
    watch.set(campaign.now)
    kinds = reverse("desk-ruling-phase", args=[campaign.game.pk, ATTACKS])
    offered = [kind for kind, _, _ in log_in(campaign.ada).get(kinds).context["kinds"]]
    assert "controller" not in offered
    assert "result" not in offered
    assert {"orders", "digit", "position", "counter", "points", "option"} <= {*offered}


def test_rollback_shows_the_deadline_that_it_sets(judged: Campaign, as_: Browser) -> None:
    """The effect named the phases undone, and not until when everybody orders again."""
    client, game = as_("ada"), judged.game
    address = where(game, "rollback")
    response = client.post(address, {"step": "preview"})
    foreseen = response.context["reopened"].deadline
    page = text(response)
    assert "Turn 1, attacks, opens again" in page
    assert "by the game’s schedule" in page
    rule(client, address, {})
    assert game.phases.latest("number").deadline == foreseen

    address, undone = reverse("desk-ruling-revoke", args=[game.pk, 1]), game.phases.get(number=3)
    response = client.get(address)
    foreseen, page = response.context["reopened"].deadline, text(response)
    assert "Turn 2, placement, opens again with the orders that it had" in page
    client.post(address, {"token": token(page), "reason": "A misprint.", "step": "rule"})
    undone.refresh_from_db()
    assert (undone.status, undone.deadline) == (Phase.Status.OPEN, foreseen)


def test_restored_phase_in_which_nobody_can_order_lasts_a_minute_as_its_page_says(
    watch: Watch, as_: Browser
) -> None:
    """It waited for the schedule, though the page of the revocation promised a minute."""
    in_turn = {"ow2.attacks": "sequential"}
    campaign = Campaign.begin(may_lock_early=True, options=in_turn)
    first, minute = campaign.pass_deadline(), timedelta(minutes=1)
    attacks = campaign.phase
    assert attacks.deadline == attacks.opened_at + minute
    rulings.rule(first, "rollback", {}, REASON, campaign.ada, campaign.now)
    watch.set(campaign.now)
    client, address = as_("ada"), reverse("desk-ruling-revoke", args=[campaign.game.pk, 1])
    response = client.get(address)
    assert response.context["reopened"].deadline == campaign.now + minute
    client.post(address, {"token": token(text(response)), "reason": REASON, "step": "rule"})
    attacks.refresh_from_db()
    assert (attacks.status, attacks.deadline) == (Phase.Status.OPEN, campaign.now + minute)


def test_rollback_of_a_waiting_result_does_not_say_that_it_waits(
    waiting: Campaign, as_: Browser
) -> None:
    """“Published with it; until then only gamesmasters see either” stood above 12 letters."""
    page = preview_of(as_("ada"), waiting.game, "rollback", {}, 1)
    assert "never published" in page
    assert "published with it" not in page
    assert "12 letters are sent with it" in page


def test_again_is_not_offered_on_a_result_that_waits(waiting: Campaign, as_: Browser) -> None:
    """It was offered and always refused: such a result has not been judged yet."""
    kinds = reverse("desk-ruling-phase", args=[waiting.game.pk, 1])
    offered = [kind for kind, _, _ in as_("ada").get(kinds).context["kinds"]]
    assert "points" in offered
    assert "again" not in offered


def test_only_options_that_judge_the_phase_are_offered(judged: Campaign, as_: Browser) -> None:
    """gamesmaster.md B4: placement options change nothing in an attack phase."""
    attacks = text(as_("ada").get(where(judged.game, "option")))
    assert "ow2.overplaced" not in attacks
    assert "ow2.x_attacker_loss" in attacks
    placement = text(as_("ada").get(where(judged.game, "option", 1)))
    assert "ow2.overplaced" in placement
    assert "ow2.x_attacker_loss" not in placement


def test_option_ruling_is_described_in_words(judged: Campaign, as_: Browser) -> None:
    data = {"option": "ow2.x_attacker_loss=all"}
    rule(as_("ada"), where(judged.game, "option"), data)
    words = "For this phase: What an exchange costs the attacker: everything."
    assert judged.game.rulings.get().words == words


def test_public_list_names_the_gamesmaster_of_a_ruling(judged: Campaign, as_: Browser) -> None:
    type(judged.ada).objects.filter(pk=judged.ada.pk).update(name="Ada Lovelace")
    rule(as_("ada"), where(judged.game, "points"), {"nation": "Russia", "points": "3"})
    assert "by Ada Lovelace" in text(as_("gustav").get(reverse("rulings", args=[judged.game.pk])))
