"""The desk's page of channels: chat programs that get the game's news. Addresses stay hidden."""

from __future__ import annotations

from dataclasses import dataclass

from django import forms
from django.contrib import messages
from django.db.models import Max
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from games.base import clock
from games.desk import channels
from games.models import Channel, Game, Notice
from games.pages.decorators import for_gamesmasters
from games.pages.forms import Form
from games.pages.requests import person_of, tell_refusals


class ChannelForm(Form):
    kind = forms.ChoiceField(label="Chat program", choices=Channel.Kind.choices[:2])
    url = forms.CharField(
        label="Address of the webhook",
        max_length=400,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "inputmode": "url", "spellcheck": "false"}
        ),
        error_messages={"required": "Copy the address of the webhook from your chat program."},
        help_text=(
            "It begins with https://. With it anybody could post in your channel, so no page shows"
            " it again."
        ),
    )
    label = forms.CharField(
        label="Name",
        max_length=60,
        required=False,
        help_text="So that you can recognize it.",
    )


@dataclass(frozen=True)
class Row:
    """A channel and its newest notice."""

    channel: Channel
    newest: Notice | None


@require_http_methods(["GET", "HEAD", "POST"])
@for_gamesmasters
def page(request: HttpRequest, game: Game) -> HttpResponse:
    """Show the channels of a game, and a form that adds one."""
    form = ChannelForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        kind, url, label = data["kind"], data["url"].strip(), data["label"]
        with form.errors_at("url"):
            channels.add(game, kind, url, label, person_of(request), clock.now())
            messages.success(
                request,
                "Added. We are sending a test message; this page shows whether it arrived.",
            )
            return redirect("desk-channels", game.pk)
    channels_shown = (
        Channel.objects.filter(game=game, removed_at=None).select_related("added_by").order_by("pk")
    )
    of_channels = Notice.objects.filter(channel__in=channels_shown).values("channel")
    newest = Notice.objects.filter(pk__in=of_channels.annotate(newest=Max("pk")).values("newest"))
    by_channel = {notice.channel_id: notice for notice in newest}
    rows = [Row(channel, by_channel.get(channel.pk)) for channel in channels_shown]
    removed = Channel.objects.filter(game=game).exclude(removed_at=None).order_by("-removed_at")[:5]
    context = {
        "game": game,
        "here": "channels",
        "rows": rows,
        "lost": removed,
        "form": form,
        "full": len(rows) >= channels.MOST,
    }
    return render(request, "desk/channels.html", context, status=400 if form.errors else 200)


@require_POST
@for_gamesmasters
def greet(request: HttpRequest, game: Game, channel: str) -> HttpResponse:
    channels.greet(
        get_object_or_404(Channel, code=channel, game=game, removed_at=None), clock.now()
    )
    messages.success(request, "A message is on its way to the channel.")
    return redirect("desk-channels", game.pk)


@require_POST
@for_gamesmasters
def remove(request: HttpRequest, game: Game, channel: str) -> HttpResponse:
    row = get_object_or_404(Channel, code=channel, game=game)
    with tell_refusals(request):
        channels.remove(row, person_of(request), clock.now())
        messages.success(request, "Removed. Its address is deleted.")
    return redirect("desk-channels", game.pk)
