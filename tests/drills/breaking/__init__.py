"""Break things on purpose while real processes play games, and count what was lost or doubled
(issue 10, 2).

    hooks.py settings.py   inside the service's processes: named points at which a process kills
                           itself, and notes of what it did
    post.py                a mail server that refuses, defers, drops, drips and hangs, and records
                           who delivered which letter
    league.py databases.py PostgreSQL or SQLite, Redis or files, the processes as deployed, many
                           games, a clock that jumps
    players.py             people who send orders by page and by mail all the time, and record
                           which were accepted
    counting.py            what was lost, what was doubled; its docstring names its parts
    small.py               a small league in one process, on which tests/drills/test_mutations.py
                           tries whether the count notices what goes wrong

The other modules hold the faults, one function each; `python -m
tests.drills.faults_table` runs them at full size, tests/drills/test_faults.py in small.
"""
