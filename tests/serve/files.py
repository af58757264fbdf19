"""Documents that the tests of the server send, made on the spot."""

from __future__ import annotations

import io

import pymupdf

LINES = ("The harbour master keeps the log.", "Ships wait for the tide at night.", "Lamps burn until the morning.")


def pdf(
    num_pages: int = 1,
    *,
    title: str = "Harbour Rules",
    password: str | None = None,
    repeats: int = 1,
    has_drawing: bool = False,
) -> bytes:
    """A born-digital document; each page says its number, and the lines so many times, and may have a drawing, too."""
    document = pymupdf.open()
    for number in range(1, num_pages + 1):
        page = document.new_page(width=595, height=842)
        page.insert_text((72, 90), f"{title}, part {number}", fontsize=20, fontname="hebo")
        for line, text in enumerate(LINES * repeats):
            page.insert_text((72, 140 + 16 * line), text, fontsize=11)
        if has_drawing:
            page.draw_circle((300, 700), 60)
    if password is None:
        return document.tobytes(no_new_id=True)
    return document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw=password, owner_pw="owner")


def png(title: str = "Harbour Rules", repeats: int = 1) -> bytes:
    """The first page as a picture: nothing in it but pixels."""
    with pymupdf.open(stream=io.BytesIO(pdf(title=title, repeats=repeats)), filetype="pdf") as document:
        return document[0].get_pixmap(dpi=150).tobytes("png")
