"""`pagemill.commands.terminal_text`: text for a person."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from rich.console import Console

from pagemill.commands.query import show
from pagemill.commands.terminal_text import plain, visible
from pagemill.values import Answer, Options

HOSTILE = "\x1b]0;title\x07\x1b[2J\x9b31m"


def test_an_unknown_name_is_said_without_the_words_of_the_validator() -> None:
    with pytest.raises(ValidationError) as error:
        Options.model_validate({"page": 1})
    assert plain(error.value) == "page: is not known"


@given(st.text())
def test_nothing_that_is_shown_steers_a_terminal(text: str) -> None:
    """Guards against a document, or a file's name, that writes over what stands on the screen."""
    shown = visible(text)
    assert len(shown) == len(text)
    assert all(ord(character) >= 0xA0 or 0x20 <= ord(character) < 0x7F or character in "\n\t" for character in shown)
    assert all(a == b for a, b in zip(shown, text, strict=True) if b.isprintable())


def test_a_passage_is_shown_so() -> None:
    where = {"page": 1, "box": {"x0": 0, "y0": 0, "x1": 1, "y1": 1}}
    passage = {
        "document_id": f"a{HOSTILE}",
        "heading_path": [HOSTILE],
        "text": f"b{HOSTILE}",
        "page": 1,
        "boxes": [where],
    }
    rest = {"chunk_id": "c", "revision": 1, "ordinal": 0, "kind": "text", "score": 1, "scores": {}, "spans": []}
    answer = Answer.model_validate(
        {
            "passages": [passage | rest],
            "mode": "hybrid",
            "embedder": "e",
            "index_version": 1,
            "timings": {},
            "cache": {},
        }
    )
    written = io.StringIO()
    show(Console(file=written), answer, ["http://host/page"], {})
    assert "b\ufffd" in written.getvalue()
    assert not set(written.getvalue()) & set("\x1b\x07\x9b")
