"""Questions over the corpus, each with the passage that answers it; written by hand, and how answers are judged."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from documents.boxes import Value
from retrieval.search.passage import Passage

FILE = Path(__file__).with_name("questions.json")


class Question(Value):
    """What is asked, and where the answer stands."""

    question: str
    documents: tuple[str, ...]  # file names; any of them answers
    page: int
    passage: str  # words of the passage; blanks, signs and case do not matter

    def answered_by(self, hit: Passage) -> bool:
        """Whether a passage holds the answer."""
        return hit.document_id in self.documents and letters(self.passage) in letters(hit.text)


def questions() -> list[Question]:
    """All of them."""
    return [Question.model_validate(question) for question in json.loads(FILE.read_text(encoding="utf-8"))]


def rank(question: Question, hits: Sequence[Passage]) -> int | None:
    """The place of the first passage that answers, from 1."""
    return next((place for place, hit in enumerate(hits, start=1) if question.answered_by(hit)), None)


def scores(ranks: Sequence[int | None]) -> dict[str, float]:
    """hit@1, hit@5 and the mean reciprocal rank."""
    count = len(ranks)
    return {
        "hit1": sum(place == 1 for place in ranks) / count,
        "hit5": sum(place is not None and place <= 5 for place in ranks) / count,
        "mrr": sum(1 / place for place in ranks if place) / count,
    }


def letters(text: str) -> str:
    """What two readings of the same words have in common."""
    return re.sub(r"\W", "", text.casefold())
