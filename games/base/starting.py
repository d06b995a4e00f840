"""Decide whether a process of the service may start, by the system checks tagged "serve"."""

from __future__ import annotations

from django.core.checks import CheckMessage, run_checks
from django.core.exceptions import ImproperlyConfigured

SERVE = "serve"
#: The tag of the check of `.env`, which also commands make that start no service.
SETTINGS_FILE = "settings_file"


def faults() -> list[CheckMessage]:
    """Return missing or dangerous settings: only errors, no warnings."""
    messages = run_checks(tags=[SERVE], include_deployment_checks=True)
    return [message for message in messages if message.is_serious() and not message.is_silenced()]


def require_safe_settings() -> None:
    """Raise `ImproperlyConfigured` with every fault and its hint.

    For every process of the service: pages, worker, beat, inbound mail, and commands that do due
    work.
    """
    if errors := faults():
        sentences = "\n".join(f"- {error.msg} {error.hint} ({error.id})" for error in errors)
        raise ImproperlyConfigured(
            f"The service was not started, because settings are missing or dangerous:\n{sentences}"
        )
