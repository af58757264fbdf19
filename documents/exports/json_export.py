"""Writes and reads our own JSON of a document, with the version of its schema."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any, Literal

from documents.values import Document

VERSION = "1.12"


class Exported(Document):
    """What `format=json` answers; its schema is published as `docs/schemas/document.json`."""

    schema_name: Literal["PagemillDocument"] = "PagemillDocument"
    schema_version: Literal["1.12"] = VERSION


def to_json(document: Document) -> str:
    """JSON without blanks."""
    return "".join(json_pieces(document))


def json_pieces(document: Document) -> Iterator[str]:
    """The same in pieces, a page in each, so that nobody need hold all of it beside the document."""
    without_pages = Exported.model_validate(dict(document) | {"pages": ()}).model_dump_json()
    before, mark, after = without_pages.partition('"pages":[]')  # in a text its quotes would be escaped
    assert mark
    yield before + mark.removesuffix("]")
    for index, page in enumerate(document.pages):
        yield "," * (index > 0) + page.model_dump_json()
    yield "]" + after


def from_json(text: str) -> Document:
    """The Document again; raises pydantic's ValidationError for anything else."""
    exported = Exported.model_validate_json(text)
    return Document.model_validate({name: getattr(exported, name) for name in Document.model_fields})


def schema() -> dict[str, Any]:
    """The JSON Schema of `to_json`."""
    return Exported.model_json_schema(mode="serialization")


if __name__ == "__main__":
    sys.stdout.write(json.dumps(schema(), indent=1, sort_keys=True) + "\n")
