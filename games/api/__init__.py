"""The API at /api/v1/: what a person may see and send, for programs (docs/api.md).

service.py   the API itself: errors as JSON, entity tags
access.py    who asks: an access token, or nobody; limits
answers.py   the form of every answer
games.py phases.py scenarios.py orders.py deals.py webhooks.py   the operations
reference.py the page that lists them

Nothing here decides who sees what: that is `games.permissions`, and the ruleset's `view`.
"""
