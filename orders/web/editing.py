"""Change an order text by a button of its page, and return the parts that change with it."""

from __future__ import annotations

from django.http import HttpRequest, JsonResponse, QueryDict
from django.template.loader import render_to_string
from django.views.decorators.gzip import gzip_page

from games.base.pairs import keep_whole
from games.models import Game
from games.pages import line_forms
from orders.web import pointing
from orders.web.drafting import Drafting
from orders.web.forms import built_line
from orders.web.page import OrderPage

#: The key of a session for whether maps show what pays the reader.
POINTS = "points"


def shows_points(request: HttpRequest, game: Game) -> bool:
    """Return whether maps show what pays the reader: as last chosen, else where games are tried."""
    shown: bool = request.session.get(POINTS, game.for_trying)
    chosen = "points" in request.POST if "points-offered" in request.POST else shown
    if chosen != shown:
        request.session[POINTS] = chosen
    return chosen


@gzip_page
def answer_in_parts(request: HttpRequest, page: OrderPage) -> JsonResponse:
    """Return the text of a page after a change, and its parts, for static/orders.js.

    {"text", "fault", "kept": the draft's time, "parts": {id of an element: its HTML}}
    """
    context = {
        "page": page,
        "game": page.game,
        "seat": page.seat,
        "lines": page.lines,
        "checked": True,
        "line_fault": page.line_fault,
        "pointable": True,
    }
    parts = {
        "reading": "orders/_reading.html",
        "totals": "orders/_totals.html",
        "left-to-send": "orders/_left.html",
        "kept": "orders/_kept.html",
        "hint": "orders/_hint.html",
    }
    rendered: dict[str, str] = {
        ident: render_to_string(name, context, request) for ident, name in parts.items()
    }
    rendered |= page.shown.panels
    rendered |= {"areas": page.shown.areas, "marks": page.shown.marks, "points": page.shown.points}
    kept_at = page.kept.draft.kept_at.isoformat() if page.kept.draft else ""
    whole = {ident: keep_whole(html) for ident, html in rendered.items()}
    return JsonResponse(
        {"text": page.text, "fault": page.line_fault, "kept": kept_at, "parts": whole}
    )


def edited_text(drafting: Drafting, text: str, typed: QueryDict) -> tuple[str, str]:
    """Return the text after a button's change, and a sentence if it failed, else "".

    The sentence also reports a change that differs from what was asked.
    """
    do = typed.get("do", "")
    deed, _, what = do.partition(":")
    forms = drafting.order_forms()
    try:
        if deed == "column" and forms is not None and forms.column is not None:
            return line_forms.replace_column(text, forms.column, typed), ""
        if deed == "add":
            form = (
                next((form for form in forms.forms if form.verb == what), None) if forms else None
            )
            if form is not None:
                return line_forms.add_line(text, line_forms.build_line(form, typed)), ""
            line = built_line(drafting.choices, what, typed, drafting.market)
            return (f"{text.rstrip()}\n{line}\n" if text.strip() else f"{line}\n"), ""
        if deed in (*pointing.DEEDS, "drop", "column"):
            return pointing.apply_button(drafting, text, do, typed), ""
    except pointing.PointingError as error:
        return text if error.text is None else error.text, str(error)
    except line_forms.FormError as error:
        return text, str(error)
    return text, ""
