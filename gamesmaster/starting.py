"""Whether a process of the service may start: the checks tagged "serve" decide."""

from __future__ import annotations

from django.core.checks import CheckMessage, run_checks
from django.core.exceptions import ImproperlyConfigured

SERVE = "serve"


def faults() -> list[CheckMessage]:
    """Return the settings that are missing or dangerous: errors alone, no warnings."""
    found = run_checks(tags=[SERVE], include_deployment_checks=True)
    return [one for one in found if one.is_serious() and not one.is_silenced()]


def require_safe_settings() -> None:
    """Raise `ImproperlyConfigured` with every fault and its hint, for a process that serves people
    in any way: pages, worker, beat, mail that comes in, commands that do what is due."""
    if found := faults():
        sentences = "\n".join(f"- {one.msg} {one.hint} ({one.id})" for one in found)
        raise ImproperlyConfigured(
            f"The service was not started, for settings are missing or dangerous:\n{sentences}"
        )
