"""The image contains everything that the service needs to start (issue 26, 7).

Without a container runtime the steps of deploy/Containerfile run in a fresh folder: its files are
copied, and of the packages installed here only those of requirements.lock can be imported.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.support.examples import WHOLE
from tests.support.processes import ROOT, free_port

pytestmark = pytest.mark.processes

CONTAINERFILE = (ROOT / "deploy" / "Containerfile").read_text().replace("\\\n", " ")
SETTINGS = {
    "SECRET_KEY": "an-image-key-0123456789-abcdefghijklmnopqrstuvwxyz",
    "SITE_URL": "http://127.0.0.1",
    "EMAIL_URL": "smtp://127.0.0.1:1",
}
RUNTIME = next((name for name in ("podman", "docker") if shutil.which(name)), "")


def steps(keyword: str) -> list[str]:
    return re.findall(rf"^{keyword} (.*)$", CONTAINERFILE, re.MULTILINE)


def packages_of_the_lock(folder: Path) -> None:
    """Link the packages that requirements.lock names into a folder, and nothing else."""
    lock = (ROOT / "requirements.lock").read_text()
    names = re.findall(r"^([a-z0-9][\w.-]*)==", lock, re.MULTILINE)
    assert len(names) > 30
    for name in names:
        try:
            files = importlib.metadata.distribution(name).files or []
        except importlib.metadata.PackageNotFoundError:
            continue  # needed only on another system or a newer Python
        for top in {file.parts[0] for file in files} - {"..", "__pycache__"}:
            target = Path(str(importlib.metadata.distribution(name).locate_file(top)))
            if target.exists() and not (folder / top).exists():
                (folder / top).symlink_to(target)


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder like /srv/gamesmaster of the image."""
    folder = tmp_path_factory.mktemp("image")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", ".venv"], cwd=folder, check=True)
    (packages,) = (folder / ".venv" / "lib").glob("python*/site-packages")
    packages_of_the_lock(packages)
    for line in steps("COPY"):
        *sources, target = line.split()
        if sources[0].startswith("--from"):
            continue
        for source in sources:
            place = folder / target if target != "./" else folder / source
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, place, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / source, place)
    for line in steps("RUN"):
        if line.startswith(".venv/bin/python"):
            subprocess.run(shlex.split(line), cwd=folder, env=environment(folder), check=True)
    return folder


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of the image, with a folder of this machine for its state."""
    (line,) = steps("ENV")
    variables = dict(word.split("=", 1) for word in line.split())
    (folder / "state").mkdir(exist_ok=True)
    own = {"GAMESMASTER_VAR": str(folder / "state"), "GAMESMASTER_VERSION": "image"}
    return {"PATH": os.environ["PATH"], **variables, **SETTINGS, **own}


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [".venv/bin/python", *words],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_image_has_no_development_tools_and_no_tests(image: Path) -> None:
    assert run(image, "-c", "import pytest").returncode != 0
    assert not (image / "tests").exists()
    assert not (image / ".env").exists()


def test_every_process_of_the_image_can_be_imported(image: Path) -> None:
    """With nothing but the copied files and the packages of the lock."""
    loaded = (
        "import django; django.setup(); import games.tasks, orders.inbound.transports.lmtp,"
        " orders.inbound.transports.imap, games.market.yahoo, games.letters.sending,"
        " games.print, games.boards, celery.apps.worker, celery.apps.beat, psycopg"
    )
    done = run(image, "-c", f"import os; {SETUP}; {loaded}")
    assert done.returncode == 0, done.stderr


SETUP = "os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'gamesmaster.settings')"


@pytest.fixture
def pages(image: Path) -> Iterator[str]:
    """Run the image's own command on a free port of this machine; yield its address."""
    migrated = run(image, "manage.py", "migrate", "--verbosity", "0")
    assert migrated.returncode == 0, migrated.stderr
    (line,) = steps("CMD")
    port = free_port()
    command = [word.replace("0.0.0.0:8000", f"127.0.0.1:{port}") for word in yaml.safe_load(line)]
    process = subprocess.Popen(command, cwd=image, env=environment(image))
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(40)


def test_image_serves_pages(pages: str) -> None:
    end = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(f"{pages}/readyz", timeout=5) as answer:
                assert answer.status == 200
            break
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.2)
    with urllib.request.urlopen(f"{pages}/", timeout=20) as answer:
        page = answer.read().decode()
    style = re.search(r'href="(/static/[^"]+\.css)"', page)
    assert style is not None
    with urllib.request.urlopen(f"{pages}{style[1]}", timeout=20) as answer:
        assert answer.status == 200


def runtime_answers() -> bool:
    return bool(RUNTIME) and not subprocess.run([RUNTIME, "info"], capture_output=True).returncode


@pytest.mark.skipif(
    not (WHOLE and runtime_answers()),
    reason="in `make soak` alone, where a container runtime runs: it fetches packages",
)
def test_container_runtime_builds_and_starts_the_image() -> None:
    tag = "gamesmaster-test"
    build = ["build", "--file", "deploy/Containerfile", "--tag", tag, "."]
    subprocess.run([RUNTIME, *build], cwd=ROOT, check=True, timeout=1800)
    options = [word for name, value in SETTINGS.items() for word in ("--env", f"{name}={value}")]
    command = ".venv/bin/python manage.py migrate && .venv/bin/python manage.py doctor --near"
    done = subprocess.run(
        [RUNTIME, "run", "--rm", *options, tag, "sh", "-c", command],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert "has all tables" in done.stdout, done.stderr
