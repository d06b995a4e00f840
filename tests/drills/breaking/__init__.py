"""Everything that breaks, broken on purpose while games are played by real processes, and the count
of what was lost or doubled (issue 10, 2).

    hooks.py settings.py   within the service's processes: named points at which one of them kills
                           itself, and a note of what it has done
    post.py                a mail server that refuses, defers, drops, drips and hangs, and remembers
                           who gave it what
    league.py              PostgreSQL or SQLite, Redis or files, the processes as deployed, many
                           games, a clock that runs fast
    players.py             people who send orders by page and by mail all the while, and remember
                           what was accepted
    counting.py            what was lost, what was doubled, and which second copies of a letter no
                           sender by SMTP can rule out

The faults themselves stand in the other modules, one function each; `python -m
tests.drills.faults_table` runs them at full size, tests/drills/test_faults.py in small.
"""
