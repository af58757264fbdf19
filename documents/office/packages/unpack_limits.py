"""Limits of what a file may unpack to (zip bombs) and of what is delivered of it: bytes, entries, depth, text."""

from __future__ import annotations

MAX_ENTRIES = 20_000  # of a zip
MAX_PART_BYTES = 96_000_000  # of one entry, unpacked
MAX_UNPACKED_BYTES = 384_000_000  # of all that is read of a zip
MAX_TEXT_BYTES = 32_000_000  # of a text file or web page: it is in memory several times
MAX_DEPTH = 150  # of elements in one another that are walked one by one
MAX_NESTED_FILES = 3  # attachments and archives within one another
MAX_ATTACHMENTS = 100  # of one mail that become documents of their own
MAX_CHARACTERS = 32_000_000  # that a document delivers, as many as a text file may have bytes
MAX_EXPANSION = 50  # characters delivered per byte of the file; 100,000 equal cells of a workbook are 15
MIN_CHARACTERS = 1_000_000  # that any file may deliver, however small it is packed
MAX_PAGE_CHARACTERS = 1_000_000  # of a slide, of one row of a table, or of a heading
REGION_CHARACTERS = 100  # that a region of a slide counts as, beside its text
MAX_CELL_CHARACTERS = 100_000  # of one cell of a table; Excel writes 32,767 at most, other programs more
MAX_CELLS = 100_000  # of a document's tables together
MAX_SLOTS = 4_000_000  # rows times columns of a document's tables, most of them empty: exports write each
MAX_SPAN = 1000  # rows or columns that one cell covers
MAX_COLUMNS = 2000  # of one table
MAX_PICTURES = 2000
PAGE_REGIONS = 300  # a part of running text that has as many ends at the next paragraph
PAGE_CHARACTERS = 60_000  # of such a part, and of a paragraph or a part of a table in it
REGION_ITEMS = 100  # lines of one list
