"""Pages set by Typst, with their truth."""
