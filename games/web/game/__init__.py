"""Pages of one game for everybody who sees it."""
