"""Tables of born-digital pages: found by their rules, cut into cells by rules or by alignment."""
