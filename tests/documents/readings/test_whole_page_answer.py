"""Answers for whole pages, as families that are trained on pages write them, as blocks."""

import pytest

from documents.boxes import BoundingBox
from documents.readings.whole_page_answer import page_blocks


def kinds_and_texts(answer, form):
    blocks, is_parsed = page_blocks(answer, form)
    return [(block.kind, block.text) for block in blocks], is_parsed


def test_markdown_falls_into_headings_paragraphs_tables_and_formulas():
    """A blank line within a table, or a heading without one below it, part nothing wrongly."""
    answer = (
        "---\nprimary_language: en\nis_table: False\n---\n# Harbour *dues*\nThe **dues** of\nthe year.\n\n"
        "![a ship](page_1_2_3_4.png)10,20,300,400\n\n<table><tr><td>Boat</td>\n\n<td>1</td></tr></table>\n\n"
        "$$a^2 + b^2 = c^2$$\n\n| A | B |\n|---|---|\n| 1 | 2 |\n\nLast $x$ words."
    )
    blocks, is_parsed = kinds_and_texts(answer, "markdown")
    assert is_parsed
    assert [kind for kind, _ in blocks] == ["title", "plain text", "table", "isolate_formula", "table", "plain text"]
    texts = [text for _, text in blocks]
    assert texts[0] == "Harbour *dues*"
    assert texts[1] == "The dues of\nthe year."
    assert texts[3] == "\\[a^2 + b^2 = c^2\\]"
    assert texts[4].startswith("<table><tr><th>A</th>")
    assert texts[5] == "Last $x$ words."


def test_a_rule_at_the_beginning_is_no_front_matter():
    """All words up to the next rule were lost."""
    blocks, _ = kinds_and_texts("---\nThe dues of boats.\n\nNote: paid by owners.\n---\nLast words.", "markdown")
    text = " ".join(text for _, text in blocks)
    assert "The dues of boats." in text
    assert "Note: paid by owners." in text
    assert "Last words." in text


@pytest.mark.parametrize("answer", ["<table><tr><td>cut", "<table><tr><td rowspan=x"])
def test_a_table_that_is_cut_off_stays_as_text_and_is_told(answer):
    """Dropped, its words would be lost; kept without a word, nobody would know."""
    blocks, is_parsed = kinds_and_texts(f"Before.\n\n{answer}", "markdown")
    assert blocks[0] == ("plain text", "Before.")
    assert "".join(text for _, text in blocks).endswith(answer)
    assert not is_parsed


DOCTAGS = (
    "<doctag><page_header><loc_50><loc_10><loc_450><loc_20>Harbour Office</page_header>"
    "<section_header_level_1><loc_50><loc_40><loc_450><loc_60>Dues &amp; fees</section_header_level_1>"
    "<unordered_list><list_item><loc_60><loc_70><loc_450><loc_80>boats</list_item>"
    "<list_item><loc_60><loc_85><loc_450><loc_95>ships</list_item></unordered_list>"
    "<otsl><loc_50><loc_100><loc_450><loc_200><caption><loc_50><loc_90><loc_450><loc_99>Table 1</caption>"
    "<ched>A<ched>B<nl><fcel>1<fcel>2<nl></otsl>"
    "<picture><loc_50><loc_210><loc_450><loc_300><bar_chart><caption>Figure 1</caption></picture>"
    "<formula><loc_50><loc_310><loc_450><loc_330>a=b</formula></doctag>"
)


def test_doctags_fall_into_elements_with_their_places():
    """The places are five hundredths of the page."""
    blocks, is_parsed = page_blocks(DOCTAGS, "doctags")
    assert is_parsed
    assert [block.kind for block in blocks] == [
        "abandon",
        "title",
        "plain text",
        "plain text",
        "table_caption",
        "table",
        "figure_caption",
        "isolate_formula",
    ]
    assert blocks[1].text == "Dues & fees"
    assert blocks[1].box == BoundingBox(x0=0.1, y0=0.08, x1=0.9, y1=0.12)
    assert blocks[5].text == "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>"
    assert blocks[6].box is None


@pytest.mark.parametrize("length", range(20, len(DOCTAGS), 37))
def test_doctags_that_are_cut_off_keep_their_words(length):
    """An answer ends where its tokens do: what was whole by then stays parsed, the rest is text."""
    blocks, _ = page_blocks(DOCTAGS[:length], "doctags")
    text = " ".join(block.text for block in blocks)
    for word in ("Harbour", "boats", "ships", "Figure"):
        if f"{word}" in DOCTAGS[: length - 10]:
            assert word in text
    assert "<loc" not in text


def test_words_in_angle_brackets_are_kept():
    """Each word between angle brackets was taken for a tag and deleted."""
    blocks, is_parsed = kinds_and_texts("<text>A List<string> of boats</text>", "doctags")
    assert blocks == [("plain text", "A List<string> of boats")]
    assert is_parsed
    assert kinds_and_texts("<text>A</text>A List<string>", "doctags")[0][1] == ("plain text", "A List<string>")
