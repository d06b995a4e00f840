"""Compare what a person sees of two games and gets from them, after removing what differs in any
two games.

A person who could tell the two games apart would know the one fact in which they differ.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django.core import mail as django_mail
from django.core.mail import EmailMultiAlternatives
from django.test import Client

from games.desk import telephone_script
from games.evidence import export
from games.letters import sending
from games.models import Game, Letter, Phase, Seat
from games.print import board as printed_board
from games.print import forms as printed_forms
from orders.models import Draft
from tests.support import programs
from tests.support.campaign import Campaign
from tests.support.examples import sample
from tests.support.walk import OUTSIDERS, Sampled

Seen = Iterator[tuple[str, str]]


def alike(text: str, campaign: Campaign) -> str:
    """Return the text without row numbers, addresses, keys and hashes, which differ in any two
    games."""
    text = re.sub(
        r'\b(?:href|src|srcset|action|formaction|hx-[a-z-]+|value|content|id|for|form|name|nonce|aria-labelledby|aria-describedby|data-[a-z-]+)="[^"]*"',
        "",
        text,
    )
    # The read-back code depends on the game's number.
    text = re.sub(r'(?s)<p class="code">.*?</p>', "", text)
    text = re.sub(r"https?://\S+|/games/\d+\S*", "", text)
    named = r'"id": |"game": |game-|(?:of|to) game |manage.py honesty |exportgame '
    text = re.sub(rf"({named}){campaign.game.pk}\b", r"\1", text)
    return re.sub(r"[A-Za-z0-9_:=+/-]{20,}", "…", text)


def same(left: dict[Any, str], right: dict[Any, str]) -> list[str]:
    """Return where two games differ: the place, and the first lines that differ."""
    differences = [f"{key}: only in one" for key in set(left) ^ set(right)]
    for key in left.keys() & right.keys():
        if left[key] != right[key]:
            pairs = zip(left[key].split("\n"), right[key].split("\n"), strict=False)
            first = next(((a, b) for a, b in pairs if a != b), ("", ""))
            signs = enumerate(zip(*first, strict=False))
            at = max(0, next((place for place, (a, b) in signs if a != b), 0) - 100)
            differences.append(
                f"{key}: {first[0][at : at + 300]!r} and {first[1][at : at + 300]!r}"
            )
    return differences


def known_pages(game: Game) -> list[str]:
    """Return the path of every page of a game, relative to the game's own address."""
    known = [
        "",
        "board/",
        "standing/",
        "record.json",
        "scenario/",
        "summary/",
        "rulings/",
        "press/",
    ]
    known += ["press/write/", "honesty/", "feed.xml", "preview.png", "preview.png?phase=1"]
    known += ["away/", "votes/", "notebook/", "leave/", "questions/", "class/"]
    known += ["class/letters/"]
    fought = "&".join(f"o{place}=ATTACK Poland: Germany, Russia" for place in range(5))
    known += ["what-if/", f"what-if/?phase=1.attacks&digits=555555&{fought}"]
    of_desk = ("", "prospects/", "rulings/", "telephone/", "telephone/script/", "paper/", "times/")
    people = ("telephone/table/", "people/", "letters/", "class/", "mail/", "channels/")
    known += [f"desk/{at}" for at in (*of_desk, *people)]
    boards = [f"board.svg?version={version}&fight=1" for version in (0, 1)]
    for number in game.phases.values_list("number", flat=True):
        of_phase = ("", "proof/", "board.svg", "board.png", "?version=1", *boards)
        known += [f"phases/{number}/{at}" for at in of_phase]
        kinds = ("", "orders/", "position/", "counter/", "alliance/")
        known += [f"desk/rulings/phases/{number}/{kind}" for kind in kinds]
    for seat in game.seats.order_by("ordinal"):
        known.append(f"nations/{seat.nation.lower()}/")
        known += [f"orders/{seat.pk}/", f"desk/telephone/{seat.pk}/"]
    return known + [
        f"submissions/{row.seat_id}/{row.seat_number}/"
        for row in game.submissions.order_by("number")
    ]


def pages(campaign: Campaign, browser: Client, name: str) -> Seen:
    """Yield every page of the game, made comparable by `alike`."""
    sampled, known = Sampled(name, campaign.game), known_pages(campaign.game)
    for place, at in enumerate(known):
        path = f"/games/{campaign.game.pk}/{at}"
        if not sampled.opens(path, known_as=str(place)):
            continue
        answer = browser.get(path)
        content = b"" if answer.streaming else answer.content
        text = content.hex()
        if ".png" not in at:
            text = alike(content.decode("utf-8", "replace"), campaign)
        where = re.sub(r"(orders|telephone|submissions)/\d+", r"\1/seat", at)
        yield f"{where} {len(known)}", f"{answer.status_code} {text}"
    yield from _programs(campaign, name)


def _programs(campaign: Campaign, name: str) -> Seen:
    """Yield what a program with a person's token reads of the game, made comparable."""
    program = programs.Program(name, campaign.now)
    sampled = Sampled(name, campaign.game)
    for path in programs.paths(campaign.game):
        where = path.replace(f"/games/{campaign.game.pk}", "/games/N")
        if where != path and sampled.opens(path, known_as=where):
            answer = program.get(path)
            yield where, f"{answer.status_code} {alike(answer.content.decode(), campaign)}"


def typed_in(
    campaign: Campaign, browser: Client, name: str, text_of: Callable[[Seat], str]
) -> Seen:
    """Yield the answers to orders that are typed in and not stored, outside a soak for two seats,
    and by `OUTSIDERS`, who are refused for every seat, for one."""
    phase = campaign.phase
    number = 1 if name in OUTSIDERS else 2
    for seat in sample(list(campaign.game.seats.order_by("ordinal")), number):
        text = text_of(seat)
        for at, data in (
            (f"orders/{seat.pk}/", {"text": text, "do": "check", "phase": phase.number}),
            (f"orders/{seat.pk}/point/", {"text": text, "phase": phase.number}),
            (f"desk/telephone/{seat.pk}/read/", {"text": text}),
            (f"desk/telephone/{seat.pk}/", {"text": text, "do": "read"}),
            ("desk/telephone/table/read/", {f"{seat.pk}-text": text, "do": "read"}),
            ("desk/paper/orders/", {"seat": seat.pk, "text": text, "do": "look"}),
        ):
            answer = browser.post(f"/games/{campaign.game.pk}/{at}", data)
            Draft.objects.all().delete()
            where = f"{at.partition('/')[0]} asked for {seat.nation}"
            yield f"{where}: {at.count('/')} {data.get('do')}", _said(answer, campaign)


def previews(campaign: Campaign, browser: Client, tried: list[tuple[str, dict[str, Any]]]) -> Seen:
    """Yield the previews of rulings on judged phases."""
    for kind, data in tried:
        for ruled in campaign.game.phases.filter(status=Phase.Status.RESOLVED):
            address = f"/games/{campaign.game.pk}/desk/rulings/phases/{ruled.number}/{kind}/"
            answer = browser.post(address, {**data, "step": "preview"})
            where = f"ruling {ruled.number} {kind} {sorted(data.items())}"
            yield where, _said(answer, campaign)


def _said(answer: Any, campaign: Campaign) -> str:
    text = answer.content.decode("utf-8", "replace")
    if answer.headers["Content-Type"] == "application/json":  # the parts of a page by their ids
        answered = json.loads(text)
        text = "\n".join([answered["text"], answered["fault"], *answered["parts"].values()])
    return f"{answer.status_code} {alike(text, campaign)}"


def letters(
    campaigns: Sequence[Campaign], *but: str
) -> tuple[dict[tuple[str, str, int], str], dict[tuple[str, str, int], str]]:
    """Return the letters of each of two games since the last call, except those to `but`."""
    token, ids = sending.claim(campaigns[0].now, 10_000)
    sending.send(ids, token, campaigns[0].now)
    sent = {str(message.extra_headers.get("Message-ID")): message for message in django_mail.outbox}
    django_mail.outbox.clear()
    first, second = (_letters(campaign, sent, but) for campaign in campaigns)
    return first, second


def _letters(
    campaign: Campaign, sent: dict[str, Any], but: tuple[str, ...]
) -> dict[tuple[str, str, int], str]:
    own: dict[tuple[str, str, int], str] = {}
    for letter in Letter.objects.filter(game=campaign.game).order_by("pk"):
        message = sent.get(letter.message_id)
        if message is None or letter.address.partition("@")[0] in but:
            continue
        assert isinstance(message, EmailMultiAlternatives)
        shown = [str(message.subject), str(message.body)]
        shown += [str(part[0]) for part in message.alternatives]
        parts = [alike("\n".join(shown), campaign)]
        for part in message.message().walk():
            if part.get_content_type() == "image/png":
                parts.append(re.sub(r"(?m)^Content-(ID|Disposition):.*$", "", str(part)))
            if part.get_content_type() == "text/calendar":
                entry = part.get_payload(decode=True)
                assert isinstance(entry, bytes)
                parts.append(alike(entry.decode().replace("\r\n ", ""), campaign))
        number = sum(key[:2] == (letter.kind, letter.address) for key in own)
        own[letter.kind, letter.address, number] = "\n".join(parts)
    return own


def exported(campaign: Campaign) -> str:
    return alike(export.text(export.record(campaign.game, private=False)), campaign)


def script(campaign: Campaign) -> str:
    return str(telephone_script.make_script(campaign.game, {}).parts)


def printouts(campaign: Campaign) -> str:
    """Return the printouts for everybody and for Russia."""
    russia = campaign.seat("Russia")
    boards = [printed_board.content(campaign.game, seat, campaign.now) for seat in (None, russia)]
    form = printed_forms.content(campaign.phase, russia)
    return alike(json.dumps([*boards, form], default=str), campaign)
