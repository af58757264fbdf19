"""Values and answers as a model would write them of a document, right and with a digit changed, and their judges."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncGenerator, Sequence

from benchmarks.truths.changed_digits import Outcome, changed
from documents.boxes import BoundingBox
from documents.matching.lines import PrintedLine, printed_lines
from documents.matching.matcher import Leaf, Matcher
from documents.text.digit_strings import counted
from documents.values import Document
from retrieval.answers.answer import Answerer, Piece, WrittenAnswer, whole
from retrieval.answers.prompt import Message
from retrieval.search.passage import Passage, PassageBox, Scores

VALUE = re.compile(r"\S*\d\S*")
TRIM = ".,;:()[]{}'\"“”‘’«»"
NOWHERE_BOX = BoundingBox(x0=0, y0=0, x1=1, y1=1)


def in_extractions(documents: Sequence[Document], num_planted: int, rng: random.Random) -> Outcome:
    """Printed values with digits as extracted texts; a changed one that another line prints is no change."""
    outcome = Outcome()
    lines_of = [lines for document in documents if (lines := _lines_with_digits(document))]
    while lines_of and outcome.num_planted < num_planted:
        lines = rng.choice(lines_of)
        value = rng.choice(VALUE.findall(rng.choice(lines).text)).strip(TRIM)
        if not counted([value]):
            continue
        wrong, string = changed(value, rng)
        if any(wrong in line.text or counted([line.text])[string] for line in lines):
            continue
        right_match, wrong_match = Matcher(lines).match([Leaf(path=("value",), value=one) for one in (value, wrong)])
        outcome.num_right += 1
        outcome.num_false_marks += right_match.match == "none" or right_match.unproved
        outcome.num_planted += 1
        outcome.num_caught += wrong_match.match == "none"
    return outcome


def in_answers(documents: Sequence[Document], num_planted: int, rng: random.Random) -> Outcome:
    """Printed lines as answers that cite the passage that they are of; the same of a changed number."""
    outcome = Outcome()
    lines_of = [lines for document in documents if (lines := _lines_with_digits(document))]
    while lines_of and outcome.num_planted < num_planted:
        lines = rng.choice(lines_of)
        line = rng.choice(lines)
        wrong, string = changed(line.text, rng)
        if any(counted([other.text])[string] for other in lines):
            continue
        passage = _passage("\n".join(other.text for other in lines))
        right_answer, wrong_answer = (_answer(text, passage) for text in (line.text, wrong))
        outcome.num_right += counted([line.text]).total()
        outcome.num_false_marks += len(right_answer.unproved)
        outcome.num_planted += 1
        marked = (wrong_answer.text[one.start : one.end] for one in wrong_answer.unproved)
        outcome.num_caught += counted([wrong_answer.text])[string] <= counted(marked)[string]
    return outcome


def _lines_with_digits(document: Document) -> list[PrintedLine]:
    return [line for line in printed_lines(document.pages) if counted([line.text])]


def _answer(text: str, passage: Passage) -> WrittenAnswer:
    answerer = Answerer(_Says(f"It says: {text} [1]"), max_tokens=500, prompt_tokens=1_000_000)
    return asyncio.run(whole(answerer.stream("What does it say?", [passage])))


def _passage(text: str) -> Passage:
    return Passage(
        chunk_id="-:000000",
        ordinal=0,
        document_id="-",
        revision=1,
        text=text,
        page=1,
        boxes=(PassageBox(page=1, box=NOWHERE_BOX),),
        heading_path=(),
        kind="plain text",
        score=1.0,
        scores=Scores(),
    )


class _Says:
    """A writer that has one answer."""

    name = "a model"

    def __init__(self, text: str) -> None:
        self._text = text

    async def count(self, text: str) -> int:
        return len(text)

    async def stream(self, messages: Sequence[Message], max_tokens: int) -> AsyncGenerator[Piece, None]:  # noqa: ARG002
        yield Piece(text=self._text, finish_reason="stop")
