"""Questions to the gamesmaster, and their answers."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from games import permissions
from games.base import clock
from games.models import Game, Press
from games.pages.decorators import for_gamesmasters, refuse
from games.pages.forms import Form
from games.pages.requests import person_of
from games.press import conversations as rules
from games.rules.names import all_of
from games.seats import press_rules
from games.web.game.press import readable_letter


class AnswerForm(Form):
    text = forms.CharField(
        label="Your answer", strip=False, required=False, widget=forms.Textarea(attrs={"rows": 5})
    )


@require_safe
@for_gamesmasters
def questions(request: HttpRequest, game: Game) -> HttpResponse:
    return _questions(request, game)


def _questions(
    request: HttpRequest, game: Game, bound: dict[int, AnswerForm] | None = None
) -> HttpResponse:
    """Show unanswered questions, oldest first, then the newest answered ones. `bound` keeps the
    input of answers with errors."""
    if not permissions.answers_questions(request.user, game):
        refuse(request, game)
    unanswered = rules.unanswered_questions([game])
    waiting = list(unanswered.select_related("seat", "person", "phase"))
    done = (
        Press.objects.filter(game=game, to_gamesmaster=True)
        .exclude(answered_by=None)
        .select_related("seat", "phase")
        .prefetch_related(Prefetch("answered_by", Press.objects.order_by("number")))
        .distinct()
    )
    newest = list(done.order_by("-number")[:50])
    for question in (*waiting, *newest):
        if question.phase is not None:
            question.phase.game = game
    answered = [
        (readable_letter(question, []), list(question.answered_by.all())) for question in newest
    ]
    waiting_rows = [
        (
            readable_letter(question, []),
            (bound or {}).get(question.code) or AnswerForm(auto_id=f"answer-{question.code}-%s"),
        )
        for question in waiting
    ]
    context = {"game": game, "here": "questions", "waiting": waiting_rows, "answered": answered}
    return render(request, "press/questions.html", context)


@require_POST
@for_gamesmasters
def answer(request: HttpRequest, game: Game, code: int) -> HttpResponse:
    """Answer a question, to the nation that asked and to all others who got the question."""
    if not permissions.answers_questions(request.user, game):
        refuse(request, game)
    question = get_object_or_404(
        Press.objects.select_related("seat", "game"), game=game, code=code, to_gamesmaster=True
    )
    form = AnswerForm(request.POST, auto_id=f"answer-{code}-%s")
    form.is_valid()
    with form.errors_at("text", press_rules.PressError):
        to, to_all, _ = rules.circle_of_reply(question, None)
        rules.send(
            game,
            None,
            person_of(request),
            to,
            form.cleaned_data.get("text", ""),
            channel=Press.Channel.WEB,
            to_all=to_all,
            answers=question,
            now=clock.now(),
        )
        messages.success(request, f"Your answer to No. {code} has gone to {all_of(to)}.")
        return redirect("questions", game.pk)
    return _questions(request, game, {code: form})
