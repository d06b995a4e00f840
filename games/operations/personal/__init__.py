"""What the service has about a person: handed out, erased on request, kept while needed."""
