"""Which characters the glyphs of a PDF show, and which of them make a word."""
