"""Lines in a letter that separate a reply from the text it quotes."""

from __future__ import annotations

#: The top line of letters that can be answered by mail. In a reply, the text below it is quoted.
MARKER = "=== Write above this line, or reply with order lines alone ==="


#: The same for a letter that asks for a yes.
MARKER_OF_ASKING = "=== Write above this line ==="


#: The same for a letter that asks for a referee report, and the lines around the prepared report.
MARKER_OF_REPORTS = "=== Write above this line, or reply with report lines alone ==="


REPORT_BEGINS, REPORT_ENDS = "=== The report begins here ===", "=== The report ends here ==="
