"""Where the tables of a page are."""
