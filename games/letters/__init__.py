"""What each message says (`builders` by kind, `context`, templates/mail), and how letters get out,
each one once (`sending`, `delivery`)."""
