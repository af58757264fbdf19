"""The questions over the corpus are true, and judged as they say."""

import pymupdf
import pytest

from benchmarks.harness.server import ROOT
from benchmarks.truths.questions import letters, questions, rank, scores
from tests.retrieval.passage_making import passage_of

PAGES = ROOT.parent / "shared" / "corpus" / "pages"


@pytest.mark.skipif(not PAGES.is_dir(), reason="the corpus is not here")
def test_each_answer_is_printed_on_the_page_that_is_named():
    """Guards against a citation that is judged by a page that was mistyped."""
    assert len(questions()) >= 60
    for question in questions():
        for name in question.documents:
            with pymupdf.open(PAGES / name) as pdf:
                assert letters(question.passage) in letters(pdf[question.page - 1].get_text()), question.question


def test_a_rank_is_that_of_the_first_passage_that_answers():
    """Guards against figures that count another document's words."""
    question = questions()[0]
    words, name = question.passage, question.documents[0]
    hits = [passage_of("No."), passage_of(words), passage_of(f"So {words.upper()}!", document_id=name)]
    assert rank(question, hits) == 3
    assert rank(question, hits[:2]) is None
    assert scores([1, 3, 6, None]) == {"hit1": 0.25, "hit5": 0.5, "mrr": (1 + 1 / 3 + 1 / 6) / 4}
