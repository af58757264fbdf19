"""The roles that a piece of text can have on a page, in the order of the structure network's outputs."""

from __future__ import annotations

from typing import Literal, get_args

Role = Literal[
    "title",
    "heading",
    "text",
    "list_item",
    "caption",
    "table",
    "formula",
    "code",
    "footnote",
    "side_note",
    "page_header",
    "page_footer",
    "page_number",
    "label",
    "value",
    "figure_text",
    "contents",
    "stamp",
]
ROLES: tuple[Role, ...] = get_args(Role)
