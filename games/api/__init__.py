"""The API at /api/v1/: what a person may see and send, for programs (docs/api.md).

  service.py    the API object: errors as JSON, entity tags
  access.py     authentication: an access token, or an anonymous request; limits
  answers.py    the schema of every answer
  games.py phases.py scenarios.py orders.py deals.py webhooks.py    the operations
  requests.py   orders and deals received once, however often a request is repeated
  reference.py  the page that lists the operations

Nothing here decides who sees what: `games.permissions` and the ruleset's `view` do.
"""
