"""Export personal data, erase it on request, and delete it when no longer needed."""
