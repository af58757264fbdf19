"""The third reader sees what a reader of the file sees, and neither side is judged by what may be left out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import openpyxl
import pptx
from openpyxl.comments import Comment
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from benchmarks.truths.office_text import TextFacts, third_reader, words_of


def test_a_charts_text_is_part_of_a_slide(tmp_path: Path) -> None:
    """Guards against a reader of charts that counts as one who writes words too many."""
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Tonnage"
    data = CategoryChartData()
    data.categories = ["North", "South"]
    data.add_series("Spring", (4.3, 2.0))
    slide.shapes.add_chart(XL_CHART_TYPE.BAR_CLUSTERED, *(Inches(1),) * 4, data)
    deck.save(str(tmp_path / "a.pptx"))
    facts = third_reader(tmp_path / "a.pptx")
    assert facts is not None
    assert facts.words == words_of("Tonnage North South Spring 4.3 2")
    assert facts.num_tables == 1


def test_a_sheets_comments_are_part_of_it(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "Berths"
    book.active["A1"] = "jetty"
    book.active["A1"].comment = Comment("dredged", "Ann")
    book.save(tmp_path / "a.xlsx")
    facts = third_reader(tmp_path / "a.xlsx")
    assert facts is not None
    assert facts.words == words_of("Berths jetty dredged")


def test_optional_words_neither_help_nor_harm() -> None:
    truth = TextFacts(Counter(a=1), [], None, Counter(page=1))
    for words in (Counter(a=1), Counter(a=1, page=1)):
        assert TextFacts(words, [], None).against(truth)["words_f1"] == 1.0
    assert TextFacts(Counter(a=1, page=2), [], None).against(truth)["words_f1"] == 2 / 3
