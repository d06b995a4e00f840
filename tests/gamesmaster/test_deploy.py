"""The files of deploy/ parse, name existing things, and agree with each other (issue 10)."""

from __future__ import annotations

import configparser
import json
import re
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs  # installed with schemathesis
import pytest
import yaml
from django.core.management import get_commands

from games.base import processes
from games.operations import metrics
from tests.support.campaign import MONDAY
from tests.support.processes import ROOT

DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
KUBERNETES = DEPLOY / "kubernetes"
MANIFESTS = sorted(
    path for path in KUBERNETES.glob("*/*.yaml") if path.name != "kustomization.yaml"
)
OPERATIONS = (ROOT / "docs" / "operations.md").read_text()
#: Settings read by other programs.
ELSEWHERE = {"ANYMAIL_WEBHOOK_SECRET", "DATABASE_PASSWORD"}
APPS = ("gamesmaster", "games", "orders")
PYTHON = ".venv/bin/python"


def procfile() -> dict[str, list[str]]:
    """Return the commands of the service by process, from the one list that all other files
    follow."""
    rows = (line.split(": ", 1) for line in (DEPLOY / "Procfile").read_text().splitlines())
    return {name: shlex.split(command) for name, command in rows}


def everywhere(command: list[str]) -> list[str]:
    """Return a command as it is in a container, where requests come from outside."""
    return ["0.0.0.0:8000" if word == "127.0.0.1:8000" else word for word in command]


def documents(path: Path) -> list[dict[str, Any]]:
    return [tree for tree in yaml.safe_load_all(path.read_text()) if tree]


def containers() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every container of the manifests with the name of its file."""
    for path in MANIFESTS:
        for tree in documents(path):
            spec = tree.get("spec", {})
            spec = spec.get("jobTemplate", {}).get("spec", spec)
            for container in spec.get("template", {}).get("spec", {}).get("containers", []):
                yield path.stem, container


# --- the page of a stopped service ---


def test_proxies_have_a_page_for_a_stopped_service() -> None:
    """It is served while nothing else is, so it needs no other file, and has the site's colors."""
    page = DEPLOY / "stopped.html"
    installed = f"/srv/gamesmaster/{page.relative_to(ROOT)}"
    for name in ("Caddyfile", "nginx.conf"):
        proxy = (DEPLOY / name).read_text()
        for line in ("/srv/gamesmaster/deploy", "/stopped.html", "Retry-After 60", "503"):
            assert line in proxy
    (volume,) = (
        mount
        for mount in documents(DEPLOY / "compose.yaml")[0]["services"]["proxy"]["volumes"]
        if page.name in mount
    )
    assert volume == f"./{page.name}:{installed}:ro"
    text, style = page.read_text(), (ROOT / "static" / "gamesmaster.css").read_text()
    assert not re.search(r"(?:src|href|url)\b", text)
    colors = re.compile(r"--(paper|ink|accent): (#\w+);")
    assert colors.findall(text) == colors.findall(style)[:6]


# --- schemas ---

SCHEMAS = {
    name: json.loads((Path(__file__).with_name("schemas") / f"{name}.json").read_text())
    for name in ("compose", "kubernetes")
}


def faults(tree: dict[str, Any], schema: dict[str, Any]) -> list[str]:
    errors = jsonschema_rs.validator_for(schema).iter_errors(tree)
    return [f"{'.'.join(map(str, fault.instance_path))}: {fault.message}" for fault in errors]


def kind(name: str) -> dict[str, Any]:
    """Return the schema of a kind of manifest."""
    schema = SCHEMAS["kubernetes"]
    return {"$ref": schema["kinds"][name], "definitions": schema["definitions"]}


def test_compose_file_matches_its_schema() -> None:
    """Issue 26, 1: checked as far as possible without a container runtime."""
    tree = documents(DEPLOY / "compose.yaml")[0]
    assert faults(tree, SCHEMAS["compose"]) == []
    tree["services"]["web"]["comand"] = ["true"]
    assert faults(tree, SCHEMAS["compose"]) != []


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.stem)
def test_manifests_match_their_schemas(path: Path) -> None:
    trees = documents(path)
    assert trees
    for tree in trees:
        assert faults(tree, kind(tree["kind"])) == []
        assert faults({**tree, "specification": {}}, kind(tree["kind"])) != []


# --- settings ---


def variables_read() -> set[str]:
    """Return the variables that the service reads, by whichever way, anywhere in its code."""
    way = r'(?:\benv\.\w+\(|environ\.get\(|getenv\(|environ\[)\s*"([A-Z_]+)"'
    files = [*ROOT.glob("*.py"), *(path for app in APPS for path in (ROOT / app).rglob("*.py"))]
    return {name for file in files for name in re.findall(way, file.read_text())}


def test_template_lists_exactly_the_settings_that_are_read() -> None:
    named = re.findall(r"^#?([A-Z][A-Z0-9_]+)=", (DEPLOY / "env.example").read_text(), re.MULTILINE)
    assert sorted(named) == sorted(variables_read() - {"GAMESMASTER_ENV"} | ELSEWHERE)


def test_each_setting_is_documented_once_and_each_documented_one_read() -> None:
    """`ANYMAIL_...` stands for every name that the mail provider's client knows."""
    table = OPERATIONS[OPERATIONS.index("## Settings") :]
    firsts = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    documented = [name for first in firsts for name in re.findall(r"`([A-Z_]+)`", first)]
    assert sorted(documented) == sorted(variables_read() | ELSEWHERE - {"ANYMAIL_WEBHOOK_SECRET"})


def test_documents_give_the_default_of_each_number() -> None:
    """deploy/env.example, and docs/operations.md and docs/security.md where they say one."""
    setting = r'env\.(?:int|float)\(\s*"([A-Z_]+)",\s*default=([\d_.]+)'
    code = (ROOT / "gamesmaster" / "settings.py").read_text()
    defaults = {name: float(number) for name, number in re.findall(setting, code)}
    template = (DEPLOY / "env.example").read_text()
    written = re.findall(r"^#?([A-Z_]+)=([\d.]+)$", template, re.MULTILINE)
    for row in re.findall(r"^\| (`[A-Z].*?\|.*?) \|", OPERATIONS, re.MULTILINE):
        names, numbers = row.split(" | ")
        named = re.findall(r"`([A-Z_]+)`", names)
        named = [name for name in named if name in defaults]
        written += zip(named, re.findall(r"(?<!\d)\d+", numbers), strict=False)
    security = (ROOT / "docs" / "security.md").read_text()
    written += re.findall(r"`(LIMIT_[A-Z]+)` = (\d+)", security)
    compared = [(name, float(number)) for name, number in written if name in defaults]
    assert {name for name, _ in compared} == set(defaults)
    assert [(name, number) for name, number in compared if number != defaults[name]] == []


@pytest.mark.parametrize("path", [DEPLOY / "compose.yaml", KUBERNETES / "common" / "settings.yaml"])
def test_settings_in_deploy_files_exist(path: Path) -> None:
    trees = documents(path)
    names = set(trees[0].get("data", {})) | set(
        trees[0].get("x-service", {}).get("environment", {})
    )
    assert names
    assert names - variables_read() == set()


# --- processes ---


def test_procfile_lists_the_processes_that_serve_runs(settings: Any) -> None:
    """The worker of `serve` has threads, which start faster; everything else is the same."""
    settings.IN_MEMORY = False
    settings.LMTP_LISTEN, settings.IMAP_URL = "127.0.0.1:8024", "imaps://a:b@c/INBOX"
    assert set(procfile()) == set(processes.commands("127.0.0.1:8000", 2))
    for command in procfile().values():
        assert command[0] == PYTHON
        if command[1] == "manage.py":
            assert command[2] in get_commands()


def test_compose_runs_every_process() -> None:
    tree = documents(DEPLOY / "compose.yaml")[0]
    services = tree["services"]
    for name, command in procfile().items():
        assert services[name]["command"] == everywhere(command)
    for name, service in services.items():
        if service.get("command", [""])[0] == PYTHON and service["command"][1] == "manage.py":
            assert service["command"][2] in get_commands(), name
        mounted = [
            volume.split(":")[0]
            for volume in service.get("volumes", [])
            if not volume.startswith(".")
        ]
        assert set(mounted) <= set(tree["volumes"]), name
        assert set(service.get("depends_on", [])) <= set(services), name
    assert services["lmtp"]["ports"] == ["127.0.0.1:8024:8024"]
    assert services["lmtp"]["environment"]["LMTP_LISTEN"] == "0.0.0.0:8024"
    assert not any(
        "ports" in services[name] for name in ("web", "worker", "beat", "database", "broker")
    )


def test_kubernetes_containers_run_the_procfile_commands() -> None:
    known = {name: everywhere(command) for name, command in procfile().items()}
    commands = {}
    for _, container in containers():
        if container["image"] != "gamesmaster":
            continue
        commands[container["name"]] = container["command"]
        assert container["command"] == known.get(container["name"], container["command"])
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert {"secretRef": {"name": "gamesmaster"}} in container["envFrom"]
        if container["command"][1] == "manage.py":
            assert container["command"][2] in get_commands()
    assert set(commands) == {"web", "worker", "beat", "lmtp", "migrate", "backup"}


def test_ports_and_probes_agree() -> None:
    """Services point to existing ports; probes request existing pages with an allowed host name."""
    web = next(container for _, container in containers() if container["name"] == "web")
    assert web["ports"] == [{"name": "http", "containerPort": 8000}]
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        request = web[probe]["httpGet"]
        assert request["path"] in ("/healthz", "/readyz")
        assert request["httpHeaders"] == [{"name": "Host", "value": "localhost"}]
    ports = {port["name"] for _, container in containers() for port in container.get("ports", [])}
    for path in MANIFESTS:
        for tree in documents(path):
            if tree["kind"] == "Service":
                assert {port["targetPort"] for port in tree["spec"]["ports"]} <= ports
    assert "{$WEB:127.0.0.1:8000}" in (DEPLOY / "Caddyfile").read_text()
    services = documents(DEPLOY / "compose.yaml")[0]["services"]
    assert services["proxy"]["environment"]["WEB"] == "web:8000"
    assert "127.0.0.1:8000" in (DEPLOY / "nginx.conf").read_text()
    for proxy in ("Caddyfile", "nginx.conf"):
        assert "metrics" in (DEPLOY / proxy).read_text()


def test_proxies_let_through_what_the_service_reads(settings: Any) -> None:
    """docs/mail.md: a webhook call may have 50 MB. The service itself says what is too large for a
    page, with a sentence; a proxy's own page has none."""
    caddy, nginx = ((DEPLOY / name).read_text() for name in ("Caddyfile", "nginx.conf"))
    largest = settings.WEBHOOK_BODY_LARGEST // 10**6
    assert re.findall(r"max_size (\w+)", caddy) == [f"{largest}MB"]
    assert re.findall(r"client_max_body_size (\w+);", nginx) == [f"{largest}m"]
    web = (KUBERNETES / "service" / "web.yaml").read_text()
    assert f"proxy-body-size: {largest}m " in web
    assert re.findall(r"^ +proxy_set_header", nginx, re.MULTILINE) == ["    proxy_set_header"] * 3


def test_documented_installation_leaves_env_to_the_service_user_alone() -> None:
    """`install` of a file onto itself fails: the repository is in /srv/gamesmaster already."""
    text = (ROOT / "docs" / "operations.md").read_text()
    file = "/srv/gamesmaster/.env"
    assert f"sudo chown gamesmaster: {file} && sudo chmod 600 {file}\n" in text
    assert "sudo install" not in text


def test_kubernetes_runs_only_one_beat_even_during_a_deploy() -> None:
    tree = documents(KUBERNETES / "service" / "beat.yaml")[0]["spec"]
    assert (tree["replicas"], tree["strategy"]["type"]) == (1, "Recreate")


def test_worker_finishes_its_tasks_before_it_stops(settings: Any) -> None:
    """Every way of running it allows more time than a task may take."""
    least = settings.CELERY_TASK_TIME_LIMIT
    assert (
        documents(KUBERNETES / "service" / "worker.yaml")[0]["spec"]["template"]["spec"][
            "terminationGracePeriodSeconds"
        ]
        > least
    )
    assert (
        int(
            documents(DEPLOY / "compose.yaml")[0]["services"]["worker"][
                "stop_grace_period"
            ].removesuffix("s")
        )
        > least
    )
    assert (
        int(unit(DEPLOY / "systemd" / "gamesmaster-worker.service")["Service"]["TimeoutStopSec"])
        > least
    )


def kustomized(step: str) -> list[dict[str, Any]]:
    """Return the documents that the kustomization of a step collects, without the image's new
    name."""
    listed = documents(KUBERNETES / step / "kustomization.yaml")[0]
    folders = [KUBERNETES / step, *(KUBERNETES / step / name for name in listed["components"])]
    trees = []
    for folder in folders:
        for name in documents(folder / "kustomization.yaml")[0]["resources"]:
            trees += documents(folder / name)
    return trees


@pytest.mark.parametrize("step", ["migrate", "service"])
def test_each_kubernetes_step_creates_what_its_containers_need(step: str) -> None:
    """gamesmaster.md D5: the job needed a ConfigMap that only the later step created. The secret is
    created by hand before both."""
    trees = kustomized(step)
    made = {(tree["kind"], tree["metadata"]["name"]) for tree in trees}
    text = yaml.safe_dump(trees)
    needed = {("ConfigMap", name) for name in re.findall(r"configMapRef:\s+name: (\S+)", text)}
    needed |= {("PersistentVolumeClaim", name) for name in re.findall(r"claimName: (\S+)", text)}
    assert ("ConfigMap", "gamesmaster") in needed
    assert needed <= made
    assert set(re.findall(r"secretRef:\s+name: (\S+)", text)) == {"gamesmaster"}
    assert "kubectl create secret generic gamesmaster" in OPERATIONS
    orders = [
        f"kubectl apply --kustomize deploy/kubernetes/{folder}" for folder in ("migrate", "service")
    ]
    assert OPERATIONS.index(orders[0]) < OPERATIONS.index(orders[1])


def test_every_manifest_belongs_to_a_step_and_only_common_names_the_image() -> None:
    listed = {
        path.parent / name
        for path in KUBERNETES.glob("*/kustomization.yaml")
        for name in documents(path)[0]["resources"]
    }
    assert listed == set(MANIFESTS)
    named = [
        path.parent.name
        for path in KUBERNETES.glob("*/kustomization.yaml")
        if "images" in documents(path)[0]
    ]
    assert named == ["common"]


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not on this machine")
@pytest.mark.parametrize("step", ["migrate", "service"])
def test_kustomize_builds_each_step(step: str) -> None:
    command = ["kubectl", "kustomize", str(KUBERNETES / step)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    built = [tree for tree in yaml.safe_load_all(done.stdout) if tree]
    assert len(built) == len(kustomized(step))
    assert "image: gamesmaster\n" not in done.stdout


# --- units ---


def unit(path: Path) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(path)
    return parser


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.stem)
def test_systemd_units_run_existing_commands_with_few_permissions(path: Path) -> None:
    service = unit(path)["Service"]
    command = shlex.split(service["ExecStart"])
    assert command[0] == f"/srv/gamesmaster/{PYTHON}"
    assert service["User"] == "gamesmaster"
    for shut in (
        "NoNewPrivileges",
        "PrivateTmp",
        "PrivateDevices",
        "ProtectKernelModules",
        "RestrictSUIDSGID",
    ):
        assert service[shut] == "yes"
    assert service["ProtectSystem"] == "strict"
    name = path.stem.removeprefix("gamesmaster-")
    if name in procfile():
        assert [PYTHON, *command[1:]] == procfile()[name]
        assert service["Restart"] == "always"
    elif name == "serve":
        assert command[1:3] == ["manage.py", "serve"]
        assert service["Restart"] == "always"
    else:
        assert command[1] == "manage.py"
        assert command[2] in get_commands()
        assert service["Type"] == "oneshot"


def test_a_database_that_starts_late_keeps_no_unit_stopped() -> None:
    """After a power cut the migration failed, and what requires a failed unit is never started."""
    assert not [path.name for path in UNITS if "Requires" in unit(path)["Unit"]]
    migrate = unit(DEPLOY / "systemd" / "gamesmaster-migrate.service")["Service"]
    assert (migrate["Restart"], migrate["RestartSec"]) == ("on-failure", "5")


def test_stopping_the_target_waits_for_every_service_of_it() -> None:
    """`systemctl stop gamesmaster.target` returned while a worker finished its task, and a database
    was renamed or an upgrade begun beside it. Stops come in the reverse order of starts."""
    services = [path for path in UNITS if unit(path)["Unit"].get("PartOf") == "gamesmaster.target"]
    assert len(services) == len(procfile()) + 1, "those of the Procfile, and the migration"
    for path in services:
        assert "gamesmaster.target" in unit(path)["Unit"]["After"].split(), path.name


def test_systemd_units_refer_to_existing_units() -> None:
    ours = {path.name for path in (DEPLOY / "systemd").iterdir()}
    for path in (DEPLOY / "systemd").iterdir():
        text = path.read_text()
        for name in re.findall(r"gamesmaster[\w-]*\.(?:service|target|timer)", text):
            assert name in ours, f"{path.name} wants {name}"


@pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd is not on this machine"
)
def test_systemd_accepts_the_units() -> None:
    """systemd-analyze complains only about programs that are not installed here."""
    command = [
        "systemd-analyze",
        "verify",
        "--man=no",
        *map(str, sorted((DEPLOY / "systemd").iterdir())),
    ]
    complaints = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60
    ).stderr
    ours = [
        line
        for line in complaints.splitlines()
        if "gamesmaster" in line and "is not executable" not in line and "not found" not in line
    ]
    assert ours == []


# --- the image, alerts and dashboard ---


def test_image_runs_as_an_ordinary_user_and_copies_existing_files() -> None:
    lines = (DEPLOY / "Containerfile").read_text().splitlines()
    for line in lines:
        if line.startswith("COPY ") and "--from" not in line:
            for source in line.split()[1:-1]:
                assert (ROOT / source).exists(), source
    assert [line for line in lines if line.startswith("USER ")] == ["USER 10001:10001"]
    assert yaml.safe_load(lines[-1].removeprefix("CMD ")) == everywhere(procfile()["web"])
    ignored = (ROOT / ".containerignore").read_text().split()
    assert {".git", "var", ".venv"} <= set(ignored)


def locked(name: str) -> dict[str, str]:
    """Return the packages of a lock, each with its version and hashes."""
    entries = re.split(r"^(?=[a-z0-9])", (ROOT / name).read_text(), flags=re.MULTILINE)
    return {
        entry.partition("==")[0]: re.sub(r"\n    #.*", "", entry).strip()
        for entry in entries
        if entry
    }


def test_image_has_the_folders_of_its_volumes() -> None:
    """Docker gives a new volume the owner of the folder that it covers: without one it was root's,
    and the nightly backup could not be written."""
    image = (DEPLOY / "Containerfile").read_text()
    folders = re.findall(r"--home-dir (\S+)|--owner gamesmaster --mode 700 (\S+)", image)
    services = documents(DEPLOY / "compose.yaml")[0]["services"].values()
    volumes = [
        volume.split(":")[1]
        for service in services
        if service["image"] == "gamesmaster"
        for volume in service["volumes"]
    ]
    assert {"/var/lib/gamesmaster", "/var/backups/gamesmaster"} == set(volumes)
    assert set(volumes) == {home or made for home, made in folders}


def test_image_installs_the_lock_without_development_tools() -> None:
    """Issue 26, 9: one lock for the service, another one with development tools."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    tools = {
        re.split(r"[^A-Za-z0-9_-]", line)[0].lower() for line in project["dependency-groups"]["dev"]
    }
    service, everything = locked("requirements.lock"), locked("requirements-dev.lock")
    assert "requirements.lock" in (DEPLOY / "Containerfile").read_text()
    assert tools & set(service) == set()
    assert tools <= set(everything)
    assert {name: everything.get(name) for name in service} == service


@pytest.mark.django_db
def test_alerts_use_existing_metrics_and_give_advice() -> None:
    rules = documents(DEPLOY / "alerts.yaml")[0]["groups"][0]["rules"]
    known = {measure.name for measure in metrics.measures(MONDAY)}
    for rule in rules:
        names = set(re.findall(r"gamesmaster_\w+", rule["expr"]))
        assert names
        assert names <= known, rule["alert"]
        assert f"**{rule['alert']}**" in OPERATIONS, (
            f"docs/operations.md does not say what {rule['alert']} means"
        )
    assert len({rule["alert"] for rule in rules}) == len(rules)


@pytest.mark.django_db
def test_dashboard_panels_show_existing_metrics(settings: Any) -> None:
    """Issue 26, 8."""
    settings.IN_MEMORY = False
    known = {measure.name for measure in metrics.measures(MONDAY)}
    board = json.loads((DEPLOY / "grafana.json").read_text())
    shown = {
        panel["title"]: set(re.findall(r"gamesmaster_\w+", target["expr"]))
        for panel in board["panels"]
        for target in panel["targets"]
    }
    assert [title for title, names in shown.items() if not names or names - known] == []
    ids = [panel["id"] for panel in board["panels"]]
    assert len(ids) == len(set(ids))
    assert {panel["datasource"]["uid"] for panel in board["panels"]} == {"${source}"}


def test_deploy_files_name_no_download_address() -> None:
    for path in DEPLOY.rglob("*"):
        if path.is_file():
            text = re.sub(
                r"https?://(127\.0\.0\.1|localhost|games\.example\.org|\$host|\.\.\.)\S*",
                "",
                path.read_text(),
            )
            assert "http://" not in text, path
            assert "https://" not in text, path
