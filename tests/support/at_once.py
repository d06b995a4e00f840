"""Run work at the same instant, as several workers or browsers would."""

from __future__ import annotations

import threading
from collections.abc import Callable

from django.db import connections


def side_by_side(*works: Callable[[], object]) -> list[Exception]:
    """Run these at once, each with its own connection; return what they raised."""
    barrier = threading.Barrier(len(works), timeout=60)
    faults: list[Exception] = []

    def run(work: Callable[[], object]) -> None:
        try:
            barrier.wait()
            work()
        except Exception as fault:
            faults.append(fault)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert not any(thread.is_alive() for thread in threads)
    return faults
