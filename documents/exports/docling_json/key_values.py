"""Writes the fields of a page's form as a key-value item of a DoclingDocument."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from documents.boxes import BoundingBox
from documents.values import FormField, Page

_Item = dict[str, Any]


def key_values(page: Page) -> Iterator[tuple[str, _Item]]:
    """The fields of a page as a graph: a key cell each, linked to the cell of its value; none where there are none.

    A key is the label of the field, else its name, which is its `orig`; the value of a button is a checkbox cell: ☒ or
    ☐, and what it stands for.
    """
    if not page.fields:
        return
    cells: list[_Item] = []
    links: list[_Item] = []
    for number, field in enumerate(page.fields):
        key, value = 2 * number, 2 * number + 1
        cells.append(_cell(key, "key", field.label or field.name, None) | {"orig": field.name})
        cells.append(_value(value, field, page))
        links.append({"label": "to_value", "source_cell_id": key, "target_cell_id": value})
    yield (
        "key_value_items",
        {
            "label": "key_value_region",
            "content_layer": "invisible",
            "prov": [_place(BoundingBox.around([field.box for field in page.fields]), page, "")],
            "captions": [],
            "references": [],
            "footnotes": [],
            "graph": {"cells": cells, "links": links},
        },
    )


def docling_box(box: BoundingBox) -> _Item:
    """A BoundingBox of docling."""
    return {"l": box.x0, "t": box.y0, "r": box.x1, "b": box.y1, "coord_origin": "TOPLEFT"}


def _value(number: int, field: FormField, page: Page) -> _Item:
    if field.state in ("on", "off"):
        mark = "☒" if field.state == "on" else "☐"
        text, label = f"{mark} {field.value}".strip(), "checkbox"
    else:
        text, label = field.value, "value"
    return _cell(number, label, text, _place(field.box, page, text))


def _cell(number: int, label: str, text: str, place: _Item | None) -> _Item:
    return {"label": label, "cell_id": number, "text": text, "orig": text, "prov": place}


def _place(box: BoundingBox, page: Page, text: str) -> _Item:
    return {"page_no": page.number, "bbox": docling_box(box), "charspan": [0, len(text)]}
