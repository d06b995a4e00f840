"""The lines in a letter that part an answer from what it quotes."""

from __future__ import annotations

#: Stands at the top of letters that are to be answered by mail. What stands below it is ours, not
# the sender's.
MARKER = "=== Write above this line, or reply with order lines alone ==="


#: The same in a letter that asks for a yes.
MARKER_OF_ASKING = "=== Write above this line ==="


#: The same in a letter that asks for a gamesmaster's sheet, and the fences round the one that it
# has prepared.
MARKER_OF_SHEETS = "=== Write above this line, or reply with sheet lines alone ==="


SHEET_BEGINS, SHEET_ENDS = "=== The sheet begins here ===", "=== The sheet ends here ==="
