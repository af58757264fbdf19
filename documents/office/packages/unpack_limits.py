"""Limits of what a file may unpack to (zip bombs) and of what is delivered of it: bytes, entries, depth, text."""

from __future__ import annotations

MAX_ENTRIES = 20_000  # maximum number of entries of a zip
MAX_PART_BYTES = 96_000_000  # maximum length of one unpacked entry
MAX_UNPACKED_BYTES = 384_000_000  # maximum length of all entries of a zip that are read
MAX_TEXT_BYTES = 32_000_000  # maximum length of a text file or web page: it is in memory several times
MAX_DEPTH = 150  # maximum depth of nested elements that are visited one by one
MAX_NESTED_FILES = 3  # attachments and archives within one another
MAX_ATTACHMENTS = 100  # maximum number of attachments of one mail that become documents
MAX_CHARACTERS = 32_000_000  # maximum length of a document's text, equal to the bytes of the largest text file
MAX_EXPANSION = 50  # maximum characters per byte of the file; 100,000 equal cells of a workbook have 15
MIN_CHARACTERS = 1_000_000  # any file may deliver this many characters, however small it is packed
MAX_PAGE_CHARACTERS = 1_000_000  # maximum length of a slide, of one row of a table, or of a heading
REGION_CHARACTERS = 100  # each region of a slide counts as so many characters, beside its text
MAX_CELL_CHARACTERS = 100_000  # maximum length of one cell; Excel writes 32,767 at most, other programs more
MAX_CELLS = 100_000  # maximum number of cells of all tables of a document
MAX_SLOTS = 4_000_000  # maximum rows times columns of all tables, most of them empty: exports write each
MAX_SPAN = 1000  # maximum number of rows or columns that one cell covers
MAX_COLUMNS = 2000  # maximum number of columns of one table
MAX_PICTURES = 2000
PAGE_REGIONS = 300  # a part of running text that has as many ends at the next paragraph
PAGE_CHARACTERS = 60_000  # maximum length of such a part, and of a paragraph or a part of a table in it
REGION_ITEMS = 100  # maximum number of lines of one list region
