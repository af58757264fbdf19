"""Hostile documents in Chromium: the web page, and the exports as a browser shows them, hold no element but ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from markdown_it import MarkdownIt
from playwright.sync_api import Browser, Page, Route, expect

from documents import values
from documents.exports.html import to_html
from documents.exports.markdown import markdown
from tests.documents.hostile_text import PIECES, PLACE, documents
from tests.web.house import House

pytestmark = pytest.mark.slow
TAGS = {"h1", "h2", "h3", "h4", "h5", "h6", "p", "ul", "ol", "li", "pre", "code", "blockquote", "br", "a", "div"}
TAGS |= {"table", "thead", "tbody", "tr", "th", "td", "s", "del"}
ATTRIBUTES = {"class", "href", "rel", "target", "rowspan", "colspan", "start", "data-cell", "tabindex"}
MATHS = {
    "math",
    "semantics",
    "annotation",
    "mrow",
    "mi",
    "mn",
    "mo",
    "mtext",
    "mspace",
    "mfrac",
    "msqrt",
    "mroot",
    "msub",
}
MATHS |= {"msup", "msubsup", "munder", "mover", "munderover", "mtable", "mtr", "mtd"}
OF_MATHS = {"display", "encoding", "fence", "stretchy", "largeop", "accent", "linethickness", "width", "mathvariant"}
OF_MATHS |= {"data-limits", "class"}
ELEMENTS = "(root) => [...root.querySelectorAll('*')].map((e) => [e.localName, e.getAttributeNames(), e.href ?? ''])"
SHOW = """async (regions) => {
  const { rendered } = await import("/static/text/region_text.js");
  const place = document.createElement("div");
  place.id = "shown";
  place.append(...regions.flatMap(rendered));
  document.body.append(place);
  return place.textContent;
}"""


def check(elements: list[tuple[str, list[str], str]]) -> None:
    for name, attributes, address in elements:
        if name in MATHS:
            assert set(attributes) <= OF_MATHS
            continue
        assert name in TAGS
        assert set(attributes) <= ATTRIBUTES
        assert not address or address.startswith(("https://set.example/", "mailto:us@set.example"))


def hostile_regions() -> list[values.Region]:
    """Every piece in every kind of region."""
    about: dict[str, Any] = {"box": PLACE, "score": 0.9}
    kinds: list[dict[str, Any]] = [{"kind": "plain text"}, {"kind": "title", "level": 1}, {"kind": "figure_caption"}]
    kinds += [{"kind": "plain text", "code": True}, {"kind": "plain text", "note": "side"}]
    regions = [values.region_of(text=piece, **about, **kind) for piece in PIECES for kind in kinds]
    for piece in PIECES:
        cell = values.TableCell(row=0, column=0, text=piece, box=PLACE)
        table = values.Table(num_rows=1, num_columns=1, num_header_rows=0, cells=(cell,))
        links = tuple(values.Link(text="x", uri=uri) for uri in ("javascript:alert(1)", "https://set.example/"))
        regions.append(values.TableRegion(kind="table", text=piece, table=table, **about))
        regions.append(values.FormulaRegion(kind="isolate_formula", text=piece, latex=piece, **about))
        regions.append(values.TextRegion(kind="plain text", text=f"{piece} x\n\nx", links=links, **about))
    return [region.model_copy(update={"order": order}) for order, region in enumerate(regions)]


def test_the_page_makes_text_of_every_hostile_region(web: Page) -> None:
    """Guards against markup in the page, which has the reader's key."""
    regions = hostile_regions()
    text = web.evaluate(SHOW, [region.model_dump(mode="json") for region in regions])
    check(web.locator("#shown").evaluate(ELEMENTS))
    assert web.locator("#shown a").count() == len(PIECES)  # each link in one place
    visible = "".join(text.split())
    assert all("".join(piece.split()) in visible for piece in PIECES if piece.strip())


def test_links_and_struck_words_stand_in_their_places(web: Page) -> None:
    """Guards against `here` linked inside "There", and void words that read as valid; offsets count code points."""
    about: dict[str, Any] = {"box": PLACE, "score": 0.9}
    link = values.Link(text="here", uri="https://set.example/", start=21, end=25)
    struck = (values.TextRange(start=2, end=7), values.TextRange(start=21, end=25))
    cell = values.TableCell(row=0, column=0, text="180 150", box=PLACE, struck=(values.TextRange(start=0, end=3),))
    table = values.Table(num_rows=1, num_columns=1, num_header_rows=0, cells=(cell,))
    regions = [
        values.TextRegion(
            kind="plain text", text="🚢 There is more,\nsee here.", links=(link,), struck=struck, **about
        ),
        values.TableRegion(kind="table", text="180 150", table=table, **about),
    ]
    text = web.evaluate(SHOW, [region.model_dump(mode="json") for region in regions])
    assert text == "🚢 There is more,see here.180 150"
    assert web.locator("#shown s").all_inner_texts() == ["There", "here", "180"]
    assert web.locator("#shown s a").all_inner_texts() == ["here"]


def test_names_and_words_of_a_hostile_document_are_text_in_the_whole_page(
    web: Page, served: House, send_file: Callable[..., Path]
) -> None:
    """Guards against a file name or a heading that is markup somewhere else on the page."""
    name = "<img src=x onerror=alert(1)>'&lt;.pdf"  # a browser sends `"` as %22
    dialogs: list[Any] = []
    web.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    served.parts.all_alike = True
    served.parts._first = values.Page(number=1, size=(595, 842), regions=tuple(hostile_regions()))
    send_file(1, name)
    served.let_pages(1)
    expect(web.locator(".top-of-job .chip")).to_have_text("succeeded")
    expect(web.locator("body")).to_contain_text(name)
    expect(web.locator("article.page .region").first).to_be_visible()
    web.get_by_role("button", name="Markdown", exact=True).click()
    expect(web.locator("article.page pre.source").first).to_be_visible()
    assert web.locator("[onerror], [onclick], iframe, object, body script").count() == 0
    assert (
        web.locator("img").count() == web.locator(".paper img, .leaf img, h1 > img").count()
    )  # the page itself, and our own mark
    assert dialogs == []


@pytest.fixture(scope="module")
def bare(browser: Browser) -> Iterator[tuple[Page, list[str]]]:
    """A window without a policy, and what it asked of the network."""
    page, requests = browser.new_page(), list[str]()

    def refuse(route: Route) -> None:
        requests.append(route.request.url)
        route.abort()

    page.route("**/*", refuse)
    page.on("dialog", lambda dialog: (requests.append(dialog.message), dialog.dismiss()))
    yield page, requests
    page.close()


@settings(max_examples=200, deadline=None)
@given(documents())
def test_a_browser_finds_no_element_but_ours_in_an_export(
    bare: tuple[Page, list[str]], document: values.Document
) -> None:
    """Guards against HTML that browsers read otherwise than a strict reader; no policy helps here."""
    page, requests = bare
    rendered = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(markdown(document))
    for html in (f"<!DOCTYPE html><title>x</title><body>{rendered}", to_html(document, {}, title=document.id)):
        page.set_content(html)
        check(page.locator("body").evaluate(ELEMENTS))
        assert page.locator("script, img, iframe").count() == 0
    assert requests == []
