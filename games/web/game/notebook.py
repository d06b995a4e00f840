"""A person's private notes about a game."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from games import permissions
from games.base import clock
from games.models import Game, Notebook, Sitting
from games.models.people import who
from games.pages.decorators import for_readers, refuse
from games.rules.names import all_of

ELSEWHERE = (
    "You have saved these notes elsewhere since you opened this page. Open them in another tab to"
    " compare; if you save again, these replace them."
)


class NotebookForm(forms.Form):
    """`seen`: when the notes that the page showed were saved; "" if they never were."""

    text = forms.CharField(
        label="Notes",
        max_length=50_000,
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 18}),
    )
    opens = forms.BooleanField(
        label="Everybody can read these notes when the game is over", required=False
    )
    seen = forms.CharField(required=False, widget=forms.HiddenInput)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@for_readers
def page(request: HttpRequest, game: Game) -> HttpResponse:
    """Show and save the reader's own notebook of a game."""
    person = request.user
    if not permissions.keeps_notebook(person, game):
        refuse(request, game)
    own = Notebook.objects.filter(game=game, person=person)
    saved = own.first()
    seen = saved.saved_at.isoformat() if saved else ""
    if request.method != "POST":
        current = {"text": saved.text, "opens": saved.opens} if saved else {}
        form = NotebookForm(initial=current | {"seen": seen})
    else:
        form = NotebookForm(request.POST)
        if form.is_valid() and form.cleaned_data["seen"] == seen:
            facts = {name: form.cleaned_data[name] for name in ("text", "opens")}
            own.update_or_create(
                game=game, person=person, defaults=facts | {"saved_at": clock.now()}
            )
            messages.success(request, "Saved.")
            return redirect("notebook", game.pk)
        if form.is_valid():
            form = NotebookForm(initial=form.cleaned_data | {"seen": seen})
            messages.error(request, ELSEWHERE)
    context = {"game": game, "form": form, "saved": saved}
    return render(request, "games/notebook.html", context)


def open_notebooks(person: permissions.Someone, game: Game) -> list[tuple[str, Notebook]]:
    """Return the notebooks that open when their game is over, each with its writer's name."""
    return [
        (" · ".join(filter(None, (who(notebook.person), _writer(notebook)))), notebook)
        for notebook in permissions.readable_notebooks(person, game)
        if notebook.opens and notebook.text.strip()
    ]


def _writer(notebook: Notebook) -> str:
    sittings = Sitting.objects.filter(seat__game=notebook.game_id, person=notebook.person_id)
    nations = dict.fromkeys(
        sittings.order_by("seat__ordinal").values_list("seat__nation", flat=True)
    )
    return all_of(list(nations)) if nations else "the gamesmaster"
