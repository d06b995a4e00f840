"""The lines in a letter that part an answer from what it quotes."""

from __future__ import annotations

#: Stands at the top of letters that are to be answered by mail. What stands below it is ours, not
# the sender's.
MARKER = "=== Write above this line, or reply with order lines alone ==="


#: The same in a letter that asks for a yes.
MARKER_OF_ASKING = "=== Write above this line ==="


#: The same in a letter that asks for a referee report, and the lines round the one that it has
# prepared.
MARKER_OF_REPORTS = "=== Write above this line, or reply with report lines alone ==="


REPORT_BEGINS, REPORT_ENDS = "=== The report begins here ===", "=== The report ends here ==="


#: Of letters written before, which may still be answered.
EARLIER_BEGINS, EARLIER_ENDS = "=== The sheet begins here ===", "=== The sheet ends here ==="
