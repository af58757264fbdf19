"""Tables: where they are, their cells, and tables that a model wrote."""
