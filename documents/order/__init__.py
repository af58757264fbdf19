"""The reading order of a page."""
