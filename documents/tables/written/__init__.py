"""Tables that a model wrote, and how a table is written."""
