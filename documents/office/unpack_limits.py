"""Limits of what a file may unpack to (zip bombs): bytes, entries, depth, text."""

from __future__ import annotations

MAX_ENTRIES = 20_000  # of a zip
MAX_PART_BYTES = 96_000_000  # of one entry, unpacked
MAX_UNPACKED_BYTES = 384_000_000  # of all that is read of a zip
MAX_TEXT_BYTES = 32_000_000  # of a text file or web page: it is in memory several times
MAX_DEPTH = 150  # of elements in one another that are walked one by one
MAX_NESTED_FILES = 3  # attachments and archives within one another
MAX_ATTACHMENTS = 100  # of one mail that become documents of their own
MAX_CELLS = 100_000  # of a document's tables together
MAX_SPAN = 1000  # rows or columns that one cell covers
MAX_COLUMNS = 2000  # of one table
MAX_PICTURES = 2000
PAGE_REGIONS = 300  # a part of running text that has as many ends at the next paragraph
PAGE_CHARACTERS = 60_000
REGION_ITEMS = 100  # lines of one list
