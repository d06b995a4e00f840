"""Rulings: make, preview and revoke them; the public list; approval of results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games import market, permissions, positions
from games.base import clock
from games.evidence import record_rows
from games.models import Act, Game, Person, Phase, Resolution, Ruling
from games.models.people import who
from games.pages import pictures
from games.pages.boards import grid
from games.pages.decorators import for_gamesmasters, for_readers
from games.pages.headings import headings
from games.pages.requests import person_of, tell_refusals
from games.rules import RulesError, Volumes, wording
from games.rules import rulings as ruling_rules
from games.rules.digits import Always
from games.rules.ruling_kinds import TITLES
from games.turns import approvals, judging, ruling_plan, rulings
from games.web.desk.ruling_forms import (
    KINDS,
    Case,
    DeadlineForm,
    ReasonForm,
    RulingForm,
    readable_nations,
)
from games.web.desk.ruling_places import DESK, Place
from games.web.desk.ruling_preview import (
    RULE,
    already_made,
    preview_context,
    reopened,
    stale_reason,
)
from games.web.game.report import report

ACTS_SHOWN = 200


@require_safe
@for_readers
def public_list(request: HttpRequest, game: Game) -> HttpResponse:
    """List every ruling with reason and effect, and the desk's other acts, for all readers."""
    runs = permissions.runs(request.user, game)
    acts = (
        Act.objects.filter(game=game, private=False)
        .select_related("phase__game", "done_by")
        .order_by("-pk")[:ACTS_SHOWN]
    )
    names = permissions.sees_names(request.user, game)
    context = {
        "game": game,
        "runs": runs,
        "rulings": _ruling_rows(game, runs=runs),
        "acts": [
            (act, who(act.done_by) if permissions.sees_doer(act, game, names=names) else "")
            for act in acts
        ],
    }
    return render(request, "games/rulings.html", context)


@dataclass(frozen=True)
class RulingRow:
    """A ruling in a list, with the results it made and the ruling that revoked it."""

    ruling: Ruling
    versions: tuple[Resolution, ...]
    revoked_by: Ruling | None
    may_be_revoked: bool
    by: str  # the gamesmaster's name, "" if they have given none


def _ruling_rows(game: Game, *, runs: bool) -> list[RulingRow]:
    rows = list(record_rows.public_list(game, viewer_runs=runs))
    for row in rows:
        row.phase.game = game
    revoked = {row.revokes_id: row for row in rows if row.revokes_id}
    results: dict[int | None, list[Resolution]] = {}
    for version in (
        Resolution.objects.filter(ruling__in=rows)
        .select_related("phase__game")
        .order_by("phase__number", "version")
    ):
        results.setdefault(version.ruling_id, []).append(version)
    return [
        RulingRow(
            row,
            tuple(results.get(row.pk, ())),
            revoked.get(row.pk),
            row.pk not in revoked and game.status != Game.Status.ABANDONED,
            who(row.made_by),
        )
        for row in reversed(rows)
    ]


@require_safe
@for_gamesmasters
def desk_list(request: HttpRequest, game: Game) -> HttpResponse:
    """Show the rulings so far, and the phases that may be ruled on."""
    phases = [
        phase for phase in game.phases.order_by("-number") if ruling_plan.may_be_ruled_on(phase)
    ]
    context = {
        "game": game,
        "here": "rulings",
        "rulings": _ruling_rows(game, runs=True),
        "phases": phases,
    }
    return render(request, "desk/rulings.html", context)


@require_safe
@for_gamesmasters
def choose_kind(request: HttpRequest, game: Game, number: int, place: Place = DESK) -> HttpResponse:
    """Show which kinds of ruling a phase allows and has something to rule on."""
    phase, person = _phase(game, number), person_of(request)
    case = _case(phase, person)
    kinds = [
        (kind, TITLES[kind], form.about)
        for kind, form in KINDS.items()
        if form.fits(phase) and permissions.may_rule(person, phase, kind) and form(case).has_choices
    ]
    context = {"game": game, "here": "rulings", "phase": phase, "kinds": kinds, "place": place}
    return render(request, "desk/ruling_kinds.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@for_gamesmasters
def make(
    request: HttpRequest, game: Game, number: int, kind: str, place: Place = DESK
) -> HttpResponse:
    """Make a ruling: the form, then its effect, then the reason. Input stays throughout."""
    now, person = clock.now(), person_of(request)
    if made := already_made(request, game):
        return _tell_made(request, place, made)
    phase, kind_form = _phase(game, number), KINDS.get(kind)
    if kind_form is None or not kind_form.fits(phase):
        raise Http404
    if not permissions.may_rule(person, phase, kind):
        messages.error(request, rulings.PLAYS_HIMSELF)
        return redirect(place.kinds, game.pk, number)
    case = _case(phase, person)
    if request.method != "POST":
        form = kind_form(case, initial=_initial(case, kind, request.GET))
        return _render_ruling(request, place, case, form, ReasonForm(auto_id="reason-%s"), None, "")
    form = kind_form(case, request.POST)
    if not form.is_valid():
        return _render_ruling(request, place, case, form, _typed_reason(request), None, "")
    content, deadline = form.what(), form.cleaned_data.get("deadline")
    preview = rulings.preview(phase, kind, content)
    reason_form = _typed_reason(request)
    if request.POST.get("step") != RULE or preview.fault:
        return _render_ruling(request, place, case, form, reason_form, preview, "")
    if fault := stale_reason(request.POST.get("token", ""), preview, deadline):
        return _render_ruling(request, place, case, form, reason_form, preview, fault)
    reason_form = ReasonForm(request.POST, auto_id="reason-%s")
    if not reason_form.is_valid():
        return _render_ruling(request, place, case, form, reason_form, preview, "")
    try:
        ruling = rulings.rule(
            phase,
            kind,
            content,
            reason_form.cleaned_data["reason"],
            person,
            now,
            token=preview.token,
            deadline=deadline,
        )
    except rulings.RulingError as error:
        if made := already_made(request, game):
            return _tell_made(request, place, made)
        fresh = rulings.preview(_phase(game, number), kind, content)
        return _render_ruling(request, place, case, form, reason_form, fresh, str(error))
    return _tell_made(request, place, ruling)


def _tell_made(request: HttpRequest, place: Place, made: Ruling) -> HttpResponse:
    """Say that a ruling is made and how players learn of it; lead to where it was made."""
    words = (
        f"Ruling {made.revokes.number} is revoked by ruling {made.number}."
        if made.revokes
        else f"Ruling {made.number} is made: {made.words}"
    )
    waits = made.phase.status not in (Phase.Status.RESOLVED, Phase.Status.UNDONE)
    told = (
        "Players see it with the result of its phase."
        if waits
        else "Every player gets a letter with the reason and the board."
    )
    messages.success(request, f"{words} {told}")
    return redirect(place.home(made.phase))


@require_http_methods(["GET", "HEAD", "POST"])
@for_gamesmasters
def revoke(request: HttpRequest, game: Game, number: int, place: Place = DESK) -> HttpResponse:
    """Revoke a ruling by another one, after showing the effect."""
    ruling = get_object_or_404(
        Ruling.objects.select_related("phase__game"), game=game, number=number
    )
    now, person = clock.now(), person_of(request)
    content = {"ruling": ruling.number}
    needs_deadline = game.status != Game.Status.PAUSED and _reopens(ruling)
    deadline_form = (
        DeadlineForm(request.POST if request.method == "POST" else None, auto_id="deadline-%s")
        if needs_deadline
        else None
    )
    if made := already_made(request, game):
        return _tell_made(request, place, made)
    preview = rulings.preview(ruling.phase, "revoke", content)
    fault = ""
    form = ReasonForm(request.POST if request.method == "POST" else None, auto_id="reason-%s")
    if request.method == "POST" and not preview.fault:
        fault = stale_reason(request.POST.get("token", ""), preview, None)
        if not fault and form.is_valid() and (deadline_form is None or deadline_form.is_valid()):
            deadline = deadline_form.cleaned_data["deadline"] if deadline_form else None
            try:
                revocation = rulings.revoke(
                    ruling,
                    form.cleaned_data["reason"],
                    person,
                    now,
                    token=preview.token,
                    deadline=deadline,
                )
            except rulings.RulingError as error:
                if made := already_made(request, game):
                    return _tell_made(request, place, made)
                fault = str(error)
                preview = rulings.preview(ruling.phase, "revoke", content)
            else:
                return _tell_made(request, place, revocation)
    opens = next((row for row in preview.restored if row.undone_from == Phase.Status.OPEN), None)
    context = {
        "reopened": reopened(opens, now, None) if opens else None,
        "by_schedule": True,
        "place": place,
        "phase": ruling.phase,
        "back": place.home(ruling.phase),
        "ruling": ruling,
        "reason_form": form,
        "deadline_form": deadline_form,
        "said": fault,
        **preview_context(game, preview, None),
    }
    return render(request, "desk/ruling_revoke.html", context)


def _reopens(ruling: Ruling) -> bool:
    """Return whether revoking may reopen a phase, which then needs a deadline: rollbacks do."""
    while ruling.revokes is not None:
        ruling = ruling.revokes
    return ruling.kind == "rollback"


@require_safe
@for_gamesmasters
def approval(request: HttpRequest, game: Game, place: Place = DESK) -> HttpResponse:
    """Show the result that waits for approval, as it would be published."""
    phase = game.phases.filter(status=Phase.Status.APPROVAL).first()
    context: dict[str, Any] = {
        "game": game,
        "here": "desk",
        "now": clock.now(),
        "phase": phase,
        "nations": headings(game.card["order"]),
        "place": place,
    }
    if phase is not None:
        try:
            judged = judging.judge_now(phase)
        except (RulesError, market.Unsettled) as error:
            return render(request, "desk/approval.html", {**context, "fault": str(error)})
        resolution = judged.resolution
        standing = judging.scores_after(game, judged)
        context |= {
            "letters": rulings.count_letters(game),
            "left": approvals.missing_placements(
                phase, judged, approvals.is_released(phase)
            ).items(),
            "report": report(resolution.events),
            "grid": grid(
                _public_board(game, resolution.state), _public_board(game, judged.state), game.card
            ),
            "picture": pictures.picture_of_board(
                game,
                _public_board(game, resolution.state),
                _public_board(game, judged.state),
                f"{phase.title}\nNot yet released",
            ),
            "scores": wording.rank(
                game.rules.standing(game.rules.view(resolution.state, None)).scores
            ),
            "winners": standing.winners,
        }
    return render(request, "desk/approval.html", context)


@require_POST
@for_gamesmasters
def release(request: HttpRequest, game: Game, number: int, place: Place = DESK) -> HttpResponse:
    """Publish a result that waits for approval."""
    phase = get_object_or_404(game.phases.select_related("game"), number=number)
    with tell_refusals(request, rulings.RulingError):
        rulings.release(phase, person_of(request), clock.now())
        messages.success(request, "The result is being published; every player gets a letter.")
    return redirect(place.home(phase)) if place.in_admin else redirect("desk", game.pk)


# --- shared by these pages ---


def _phase(game: Game, number: int) -> Phase:
    phase = get_object_or_404(game.phases.select_related("game"), number=number)
    if not ruling_plan.may_be_ruled_on(phase):
        raise Http404
    return phase


def _case(phase: Phase, person: Person) -> Case:
    """Return the subject of a ruling. Before a phase is judged, its attacks have made-up digits."""
    rules = phase.game.rules
    resolution, inputs = positions.newest_resolution(phase), judging.case_of(phase)
    readable = readable_nations(person, phase)
    if phase.status == Phase.Status.RESOLVED and resolution is not None:
        after = rules.board(phase.game.load(resolution.after))
        events = tuple(resolution.events)
        return Case(inputs, resolution, events, after, readable, judged=True)
    final = phase.status == Phase.Status.APPROVAL
    try:
        figures: Volumes = judging.figures_of(phase) if final else Always(0)
        judged = inputs.judge(figures).resolution
    except (RulesError, market.Unsettled):
        # The phase is held because it cannot be judged: there is no list to choose from.
        return Case(inputs, None, (), rules.board(inputs.state), readable)
    board = rules.board(judged.state if final else inputs.state)
    return Case(inputs, None, tuple(judged.events), board, readable, judged=final)


def _initial(case: Case, kind: str, asked: Mapping[str, str]) -> dict[str, Any]:
    """Return initial values: the nation, submission, stock or attack in the address; for orders,
    the text in force, if the person may read it."""
    if kind in ("digit", "result"):
        return {name: asked[name] for name in ("stock", "attack") if name in asked}
    # A phase with a referee report has only one text.
    nation = asked.get("nation") or (case.ordering[0] if len(case.ordering) == 1 else "")
    if kind != "orders" or nation not in case.ordering:
        return {}
    if "submission" in asked:
        return {"nation": nation, "how": "accepted", "submission": asked["submission"]}
    initial: dict[str, Any] = {"nation": nation, "how": "amended"}
    inputs = case.inputs
    texts = ruling_rules.ruled_texts(inputs.sent, inputs.rulings, inputs.submissions)
    text = texts.get(nation, "")
    rules = case.phase.game.rules
    if nation in case.readable:
        initial["text"] = text
    elif case.judged and nation in rules.pf_to_place(case.state, {nation: text}):
        # A gamesmaster who plays gets what the lines mean, which the report shows anyway, but not
        # the comments.
        initial["text"] = "\n".join(
            line for _, line in rules.read(text, nation, case.state).understood
        )
    return initial


def _typed_reason(request: HttpRequest) -> ReasonForm:
    """Return the reason as typed, not validated: only making the ruling requires one."""
    return ReasonForm(initial={"reason": request.POST.get("reason", "")}, auto_id="reason-%s")


def _render_ruling(
    request: HttpRequest,
    place: Place,
    case: Case,
    form: RulingForm,
    reason_form: ReasonForm,
    preview: rulings.Preview | None,
    fault: str,
) -> HttpResponse:
    context: dict[str, Any] = {
        "phase": case.phase,
        "case": case,
        "form": form,
        "kind": form.kind,
        "form_template": f"desk/ruling_forms/{form.template}.html",
        "reason_form": reason_form,
        "said": fault,
        "nations": headings(case.nations),
        "place": place,
        "back": place.home(case.phase),
    }
    if preview is None:
        context |= {"game": case.phase.game, "here": "rulings"}
    else:
        deadline = form.cleaned_data.get("deadline")
        context |= preview_context(case.phase.game, preview, deadline)
        if form.kind == "rollback" and not preview.fault:
            context |= {
                "reopened": reopened(case.phase, clock.now(), deadline),
                "by_schedule": deadline is None,
            }
    return render(request, "desk/ruling_make.html", context)


def _public_board(game: Game, state: Any) -> Any:
    return game.rules.board(game.rules.view(state, None))
