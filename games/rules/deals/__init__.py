"""Deals between two nations: how they are written, and what became of them (issue 27.5).

terms.py       what a deal says: read from text, and written as text and as sentences
outcomes.py    what became of each promise, from phases as the reader may know them

promises.py    what deals ask of a nation, for a program that plays it
characters.py  how programs bargain, and when they break their word
bargaining.py  what a program proposes, and whether it accepts

Nothing here binds: orders are judged as if there were no deals. Where games differ, they implement
`games.rules.contract.Deals`.
"""
