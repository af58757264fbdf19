"""Which lines of a page belong together, from which source their text is, and that none is lost."""
