"""Scores of headings, levels and lists, by texts written here and the corpus' own script."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pymupdf
import pytest
from rapidfuzz import fuzz

from benchmarks.truths.headings import (
    HALVES,
    document_scores,
    family_of,
    half_of,
    headings_agree_with_type,
    matched_levels,
    stripped,
)
from benchmarks.truths.tagged_pdf import TaggedPage, TypedText
from tests.benchmarks.truths.test_tagged_pdf import PROSE, tagged_pdf


@pytest.fixture(scope="module")
def score():
    """As the corpus' script has it, for texts without any markup."""

    def heads(truth, result):
        return 2 * len(set(truth) & set(result)) / (len(truth) + len(result)) if truth else None

    return SimpleNamespace(
        plain=str.strip,
        fuzz=fuzz,
        head_score=heads,
        score=lambda truth, result: {"heads": heads(truth.split("\n"), result.split("\n")), "order": 1.0},
    )


def page(markdown, items=(), scores=("heads", "order")):
    return TaggedPage(number=1, markdown=markdown, scores=frozenset(scores), items=tuple(items))


def test_a_template_s_reports_and_the_numbered_letters_of_one_series_are_a_family():
    names = ["docs/apl-10001-tyco.pdf", "docs/archived/apl-10063-honeywell_2022.pdf", "docs/apl.pdf"]
    assert len({family_of(Path("site") / name) for name in names}) == 1
    assert family_of(Path("site/AnnualReport2021.pdf")) != family_of(Path("site/AnnualPlan2021.pdf"))
    assert {half_of(f"family {k}") for k in range(20)} == set(HALVES)


def test_levels_are_judged_by_how_they_change_and_not_by_their_numbers(score):
    """Guards against authors who begin with a second level."""
    truth = page("## Introduction\n### Purpose of it\n## The second part")
    assert document_scores([truth], ["# Introduction\n## Purpose of it\n# The second part"], score)["levels"] == 1.0
    assert document_scores([truth], ["# Introduction\n# Purpose of it\n# The second part"], score)["levels"] == 0.0


def test_a_heading_that_was_not_found_is_no_wrong_level(score):
    truth, result = [("#", "One heading"), ("##", "Another one")], [("#", "Another one")]
    assert matched_levels(truth, result, score) == [(2, 1)]


def test_items_are_found_whatever_their_marks(score):
    result = "- apples of all kinds\n* pears\n1. plums\n- (a) quinces\n\nno item"
    items = ("apples of all kinds", "pears", "plums", "quinces")
    assert document_scores([page("text", items)], [result], score)["lists"] == 1.0


def test_a_page_counts_only_for_what_its_tree_is_good_for(score):
    scores = document_scores([page("# A", scores=["order"]), page("# B")], ["# A", "# B"], score)
    assert scores["heads"] == 1.0
    assert document_scores([page("# A", scores=["order"])], ["# A"], score)["heads"] is None


def test_the_copy_that_is_read_has_no_tree_and_the_same_text(tmp_path):
    (tmp_path / "tagged.pdf").write_bytes(tagged_pdf([("H1", "A title", 0), ("P", PROSE, 1)]))
    stripped(tmp_path / "tagged.pdf", tmp_path / "copy.pdf")
    with pymupdf.open(tmp_path / "tagged.pdf") as before, pymupdf.open(tmp_path / "copy.pdf") as after:
        assert before.xref_get_key(before.pdf_catalog(), "StructTreeRoot")[0] == "xref"
        assert after.xref_get_key(after.pdf_catalog(), "StructTreeRoot")[0] == "null"
        assert before[0].get_text() == after[0].get_text()


BODY, BOLD = ("Times", 11.0), ("Times-Bold", 11.0)


def typed(role, font_and_size, words=4, letters=20):
    return TypedText(*font_and_size, letters, words, role)


@pytest.mark.parametrize(
    ("texts", "agrees"),
    [
        ([typed("heading", BOLD)] * 4, True),
        ([typed("heading", BOLD)] * 4 + [typed("paragraph", BOLD)], True),
        ([typed("heading", BOLD)] * 4 + [typed("paragraph", BOLD)] * 2, False),
        ([typed("heading", BOLD)] * 4 + [typed("paragraph", ("Times", 16.0))] * 2, False),
        ([typed("heading", BOLD)] * 4 + [typed("other", BOLD)] * 9, True),  # items and cells
        ([typed("heading", BOLD)] * 4 + [typed("paragraph", BOLD, words=40)] * 9, True),  # emphasis
        ([typed("heading", BODY)] * 2 + [typed("heading", BOLD)], False),
        ([], True),
    ],
)
def test_headings_are_a_truth_where_all_that_is_set_like_them_is_tagged_like_them(texts, agrees):
    """Guards against trees that name a title, and leave the section heads below it as paragraphs."""
    prose = typed("paragraph", BODY, words=300, letters=1500)
    page_of_texts = TaggedPage(number=1, markdown="", scores=frozenset(("heads",)), texts=(prose, *texts))
    assert headings_agree_with_type([page_of_texts]) is agrees


def test_leaders_of_a_contents_count_as_nothing_on_both_sides():
    """Guards against entries that no side can match, since the truth has a hundred dots and the result a mark."""
    compared = []
    score = SimpleNamespace(
        plain=str.strip,
        fuzz=fuzz,
        head_score=lambda truth, result: None,
        score=lambda truth, result: compared.append((truth, result)) or {"heads": None, "order": 1.0},
    )
    document_scores([page("Aims ...................... 3")], ["Aims … 3"], score)
    document_scores([page("Aims . . . . . . . . 3")], ["Aims, e.g. these... and 3 of U.S.A. aims"], score)
    assert [" ".join(text.split()) for pair in compared for text in pair] == [
        "Aims 3", "Aims 3", "Aims 3", "Aims, e.g. these... and 3 of U.S.A. aims",
    ]  # fmt: skip
