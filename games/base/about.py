"""Find the version of the service."""

from __future__ import annotations

import subprocess
import tomllib
from functools import lru_cache

from django.conf import settings


@lru_cache(maxsize=1)
def version() -> str:
    """Return GAMESMASTER_VERSION if an image sets it, else the project's version and commit."""
    if settings.GAMESMASTER_VERSION:
        return str(settings.GAMESMASTER_VERSION)
    number = str(
        tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text())["project"]["version"]
    )
    try:
        # Git answers nothing about a working copy of another user unless it is told to.
        safe = f"safe.directory={settings.BASE_DIR}"
        command = ["git", "-c", safe, "-C", str(settings.BASE_DIR)]
        command += ["rev-parse", "--short", "HEAD"]
        commit = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=5
        ).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        commit = ""
    return f"{number}+{commit}" if commit else number
