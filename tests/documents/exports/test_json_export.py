"""Our own JSON and its published schema."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_making import opened, page, region
from pydantic import ValidationError

from documents.document.assemble_document import assemble
from documents.exports.json_export import VERSION, Exported, from_json, json_pieces, schema, to_json

PUBLISHED = Path(__file__).parents[3] / "docs" / "schemas" / "document.json"


@given(st.lists(st.tuples(st.sampled_from(["title", "plain text", "abandon", "figure"]), st.text()), max_size=6))
def test_a_document_comes_back_as_it_was(texts):
    document = assemble("d", 1, opened(), [page(*(region(text, kind) for kind, text in texts))])
    assert from_json(to_json(document)) == document
    assert to_json(from_json(to_json(document))) == to_json(document)


def test_the_published_schema_is_what_is_written():
    """Renewed as docs/exports.md says."""
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == schema()


def test_the_version_is_told_and_another_schema_refused():
    written = json.loads(to_json(assemble("d", 1, opened(), [])))
    assert written["schema_version"] == VERSION
    with pytest.raises(ValidationError):
        from_json(json.dumps(written | {"schema_version": "0.1"}))


def test_the_pieces_are_what_pydantic_writes_of_the_whole():
    """Guards against JSON that is put together by hand and is none, or another."""
    words = '"pages":[] \\"pages\\":[] \u2028'
    for numbers in ((), (1,), (1, 2, 3)):
        pages = [page(region(words), number=number) for number in numbers]
        document = assemble(words, 1, opened().model_copy(update={"metadata": {"pages": words}}), pages)
        assert "".join(json_pieces(document)) == Exported.model_validate(dict(document)).model_dump_json()
