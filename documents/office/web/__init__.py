"""Web pages, EPUBs and Markdown files."""
