"""The words of a page's lines, drawn for real."""

from __future__ import annotations

import pymupdf


def words_on(with_pool, source):
    async def use(pool):
        return [word for line in (await pool.inspect(source, 1)).inspection().lines for word in line.words]

    return with_pool(use)


def test_a_raised_figure_is_told_from_one_on_the_line(with_pool, pdf_of):
    def draw(page):
        page.insert_text((100, 300), "mc", fontsize=12)
        page.insert_text((100 + pymupdf.get_text_length("mc", fontsize=12), 296), "2", fontsize=7)
        page.insert_text((100, 400), "12", fontsize=12)

    words_by_text = {word.text: word for word in words_on(with_pool, pdf_of(draw))}
    assert (words_by_text["2"].rise, words_by_text["2"].spaced) == ("super", False)
    assert words_by_text["12"].rise is None


def test_a_word_knows_its_type_and_its_address(with_pool, pdf_of):
    def draw(page):
        page.insert_text((100, 300), "Plain", fontsize=12)
        page.insert_text((100, 330), "Bold", fontsize=12, fontname="hebo")
        page.insert_text((100, 360), "Slanted", fontsize=12, fontname="heit")
        page.insert_link(
            {"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(95, 285, 200, 305), "uri": "https://a.example/x"}
        )

    words_by_text = {word.text: word for word in words_on(with_pool, pdf_of(draw))}
    assert [words_by_text[text].bold for text in ("Plain", "Bold", "Slanted")] == [False, True, False]
    assert [words_by_text[text].italic for text in ("Plain", "Bold", "Slanted")] == [False, False, True]
    assert [words_by_text[text].link for text in ("Plain", "Bold")] == ["https://a.example/x", None]


def test_addresses_that_are_no_web_pages_are_no_links(with_pool, pdf_of):
    """Guards against links that run a program or open a file."""

    def draw(page):
        page.insert_text((100, 300), "Click", fontsize=12)
        page.insert_link(
            {"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(95, 285, 200, 305), "uri": "javascript:alert(1)"}
        )

    assert [word.link for word in words_on(with_pool, pdf_of(draw))] == [None]
