"""`documents.pdf.page_fingerprint`: equal for a page that stayed, wherever it stands; different for any other."""

from __future__ import annotations

from collections.abc import Callable

import pymupdf
import pytest

from documents.page_tree import PageTree, TreeNode
from documents.pdf.page_fingerprint import page_fingerprint

FONT = pymupdf.Font("helv").buffer


def drawn(
    change: Callable[[pymupdf.Page], object] = lambda _: None,
    text: str = "The Alma left at four.",
    uri: str = "https://a.example/",
) -> bytes:
    """A page with text, a rule, a picture, a link and a comment; then `change`."""
    pdf = pymupdf.open()
    page = pdf.new_page(width=300, height=200)
    page.insert_font("F0", fontbuffer=FONT)
    page.insert_text((30, 50), text, fontname="F0", fontsize=12)
    page.draw_line((30, 60), (200, 60))
    picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 20, 20))
    picture.clear_with(120)
    page.insert_image(pymupdf.Rect(30, 100, 70, 140), pixmap=picture)
    page.insert_link({"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(30, 40, 90, 52), "uri": uri})
    page.add_text_annot((200, 100), "a comment", icon="Note")
    change(page)
    return pdf.tobytes()


def fingerprint(content: bytes, number: int = 1, password: str = "") -> str | None:
    with pymupdf.open(stream=content) as pdf:
        if password:
            assert pdf.authenticate(password)
        return page_fingerprint(pdf[number - 1], None)


PAGE = drawn()


def test_a_page_is_the_same_among_others_and_written_otherwise() -> None:
    """Guards against a digest of object numbers, dates, compression or other pages."""
    with pymupdf.open(stream=PAGE) as pdf:
        pdf.new_page(0).insert_text((30, 30), "inserted before")
        pdf.set_metadata({"modDate": "D:20300101000000Z", "producer": "another"})
        moved = pdf.tobytes(garbage=4, deflate=True)
    assert fingerprint(moved, 2) == fingerprint(PAGE)
    assert fingerprint(moved, 1) != fingerprint(PAGE)


def test_a_page_is_the_same_in_an_encrypted_file() -> None:
    with pymupdf.open(stream=PAGE) as pdf:
        locked = pdf.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="open", owner_pw="own")
    assert fingerprint(locked, password="open") == fingerprint(PAGE)


def test_a_page_is_the_same_when_the_file_embeds_more_of_a_font() -> None:
    """Fonts are shared by all pages: one new character on one page must not change the others."""

    def subset(*texts: str) -> bytes:
        with pymupdf.open() as pdf:
            for text in texts:
                page = pdf.new_page()
                page.insert_font("F0", fontbuffer=FONT)
                page.insert_text((30, 50), text, fontname="F0")
            pdf.subset_fonts()
            return pdf.tobytes(garbage=4)

    before, after = subset("The Alma left.", "At four."), subset("The Alma left.", "At §7 o'clock, by quay X.")
    fonts = [
        pymupdf.open(stream=content).extract_font(pymupdf.open(stream=content)[0].get_fonts()[0][0])[3]
        for content in (before, after)
    ]
    assert fonts[0] != fonts[1]
    assert fingerprint(before) == fingerprint(after)
    assert fingerprint(before, 2) != fingerprint(after, 2)


def white_text(page: pymupdf.Page) -> None:
    page.insert_text((30, 180), "not to be seen", render_mode=3)


def one_pixel(page: pymupdf.Page) -> None:
    picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 20, 20))
    picture.clear_with(120)
    picture.set_pixel(3, 3, (121, 120, 120))
    page.replace_image(page.get_images()[0][0], pixmap=picture)


def other_comment(page: pymupdf.Page) -> None:
    (annotation,) = page.annots()
    annotation.set_info(content="another comment")
    annotation.update()


def a_field(value: str) -> Callable[[pymupdf.Page], None]:
    def add(page: pymupdf.Page) -> None:
        widget = pymupdf.Widget()
        widget.field_name, widget.field_type, widget.field_value = "name", pymupdf.PDF_WIDGET_TYPE_TEXT, ""
        widget.rect = pymupdf.Rect(100, 150, 200, 170)
        page.add_widget(widget)
        (added,) = page.widgets()
        page.parent.xref_set_key(added.xref, "V", f"({value})")  # the drawing stays

    return add


def test_the_value_of_a_field_is_part_of_its_page_whatever_it_draws() -> None:
    """A file may store a value that its drawing does not show yet."""
    assert fingerprint(drawn(a_field("Ada"))) != fingerprint(drawn(a_field("Eve")))


def actual_text(text: str) -> bytes:
    """A page whose text says otherwise what its letters are."""
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((30, 50), "pay")
        content = f"/Span <</ActualText ({text})>> BDC BT /helv 12 Tf 30 700 Td (pay) Tj ET EMC"
        pdf.update_stream(page.get_contents()[0], content.encode())
        return pdf.tobytes()


def test_a_text_that_quotes_the_trace_is_still_a_text() -> None:
    """Guards against words that are taken for the names of glyphs, which do not count."""
    pages = [actual_text(f'<g unicode="a" glyph="{amount}" x="1"/>') for amount in (100, 900)]
    assert fingerprint(pages[0]) != fingerprint(pages[1])


def test_images_that_other_pages_draw_do_not_count() -> None:
    """Some writers list the images of all pages with each: one changed picture was a change of every page."""

    def two_pages(value: int) -> bytes:
        with pymupdf.open() as pdf:
            for tone in (100, value):
                picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 20, 20))
                picture.clear_with(tone)
                pdf.new_page().insert_image(pymupdf.Rect(30, 100, 70, 140), pixmap=picture)
            xrefs = [page.get_images()[0][0] for page in pdf]
            names = [page.get_images()[0][7] for page in pdf]
            for number, page in enumerate(pdf):
                listed = f"/{names[number]} {xrefs[number]} 0 R /other {xrefs[1 - number]} 0 R"
                pdf.xref_set_key(page.xref, "Resources", f"<</XObject <<{listed}>>>>")
            return pdf.tobytes()

    before, after = two_pages(120), two_pages(130)
    assert fingerprint(before) == fingerprint(after)
    assert fingerprint(before, 2) != fingerprint(after, 2)


@pytest.mark.parametrize(
    "change",
    [
        lambda page: page.insert_text((200, 50), "."),
        lambda page: page.draw_line((30, 70), (31, 70)),
        lambda page: page.set_rotation(90),
        lambda page: page.set_cropbox(pymupdf.Rect(0, 0, 300, 199)),
        white_text,
        one_pixel,
        other_comment,
        a_field(""),
    ],
)
def test_whatever_a_reader_could_tell_makes_another_page(change: Callable[[pymupdf.Page], object]) -> None:
    """Guards against a changed page that is answered with its old text."""
    assert fingerprint(drawn(change)) != fingerprint(PAGE)


@pytest.mark.parametrize("change", [{"text": "The Alma left at four,"}, {"uri": "https://b.example/"}])
def test_a_single_character_makes_another_page(change: dict[str, str]) -> None:
    assert fingerprint(drawn(**change)) != fingerprint(PAGE)


def test_the_tags_of_a_page_are_part_of_it() -> None:
    """Only the tags say which cells a table has."""
    tree = PageTree(nodes=(TreeNode(role="H1", parent=-1),), contents=())
    with pymupdf.open(stream=PAGE) as pdf:
        assert page_fingerprint(pdf[0], tree) != page_fingerprint(pdf[0], None)


def test_other_shapes_under_the_same_characters_make_another_page() -> None:
    """A font may say that it writes one letter and draw another: only the picture tells."""
    pictures = [drawn(lambda page: None), PAGE]
    with pymupdf.open(stream=PAGE) as pdf:
        xref = pdf[0].get_fonts()[0][0]
        descendant = int(pdf.xref_get_key(xref, "DescendantFonts")[1].strip("[]").split()[0])
        descriptor = int(pdf.xref_get_key(descendant, "FontDescriptor")[1].split()[0])
        key = next(key for key in ("FontFile2", "FontFile3") if pdf.xref_get_key(descriptor, key)[0] == "xref")
        file = int(pdf.xref_get_key(descriptor, key)[1].split()[0])
        pdf.update_stream(file, pymupdf.Font("tiro").buffer)
        assert fingerprint(pdf.tobytes()) != fingerprint(pictures[0])


@pytest.mark.parametrize("is_form", [False, True])
def test_a_page_that_draws_too_much_is_not_compared(is_form: bool) -> None:
    """The digest must not cost more than the page, whose commands may stand in a form."""
    content = ("0 0 m 9 9 l S\n" * 200_000).encode()
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.draw_line((0, 0), (9, 9))
        if is_form:
            form = pdf.get_new_xref()
            pdf.update_object(form, "<</Type/XObject/Subtype/Form/BBox[0 0 9 9]>>")
            pdf.update_stream(form, content, new=True)
            pdf.xref_set_key(page.xref, "Resources", f"<</XObject <</F {form} 0 R>>>>")
        pdf.update_stream(page.get_contents()[0], b"/F Do" if is_form else content)
        assert fingerprint(pdf.tobytes()) is None


def test_a_page_of_many_pixels_is_not_compared() -> None:
    """Guards against images that take longer to compare than to read."""
    picture = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 8000, 8000))
    picture.clear_with(200)
    with pymupdf.open() as pdf:
        pdf.new_page().insert_image(pymupdf.Rect(30, 100, 70, 140), pixmap=picture)
        assert fingerprint(pdf.tobytes(deflate=True)) is None
