"""Write a notice in the form of each kind of chat program."""

from __future__ import annotations

import json
import re
from typing import Any

from games.base.text import shorten
from games.models import Channel
from games.outbox.channel_events import NoticeText

#: Discord takes 4096 characters in an embed, 2000 outside; the page has the full text.
LONGEST = 1800
_MARKS = re.compile(r"([\\*_~`|>#\[\]()<@-])")


def body(kind: str, notice: NoticeText) -> bytes:
    """Return the message as JSON. People's text is escaped: no markup, mentions or links."""
    return json.dumps(
        _discord(notice) if kind == Channel.Kind.DISCORD else _slack(notice), ensure_ascii=False
    ).encode()


def _discord(notice: NoticeText) -> dict[str, Any]:
    frame: dict[str, Any] = {
        "title": shorten(notice.title, 250),
        "url": notice.link,
        "description": _text(notice, _escape_markdown),
    }
    if notice.picture:
        frame["image"] = {"url": notice.picture}
    return {"embeds": [frame], "allowed_mentions": {"parse": []}}


def _slack(notice: NoticeText) -> dict[str, Any]:
    """Return it in the form of Slack's webhooks.

    Mattermost, Zulip and Rocket.Chat take it too.
    """
    frame: dict[str, Any] = {
        "fallback": _escape(shorten(notice.title, 250)),
        "title": _escape(shorten(notice.title, 250)),
        "title_link": notice.link,
        "text": _text(notice, _escape),
        "mrkdwn_in": [],
    }
    if notice.picture:
        frame["image_url"] = notice.picture
    return {
        "text": f"{_escape(shorten(notice.title, 250))} {notice.link}",
        "link_names": False,
        "attachments": [frame],
    }


def _text(notice: NoticeText, safe: Any) -> str:
    joined = shorten("\n".join(safe(sentence) for sentence in notice.sentences), LONGEST)
    return f"{joined}\n{notice.record_hash}" if notice.record_hash else joined


def _escape_markdown(words: str) -> str:
    return _MARKS.sub(r"\\\1", words)


def _escape(words: str) -> str:
    """Escape text for Slack, which reads `<...>` as links and mentions. `&` has to come first."""
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
