"""What only a whole document shows: furniture, headings, lists and texts over pages."""
