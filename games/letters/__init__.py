"""Render the text of each message (`builders` by kind, `context`, templates/mail) and send it once
(`sending`, `delivery`)."""
