"""Pages set by Chromium, with their truth."""
