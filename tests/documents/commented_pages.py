"""A page of text for tests of comments."""

from __future__ import annotations

import io

import pymupdf

from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.values import Source

SENTENCE = "The berth fee is due on the first of March, in cash."


def page_with_text():
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), SENTENCE, fontsize=12)
    page.insert_text((72, 130), "A second paragraph follows.", fontsize=12)
    return document, page


def opened(document):
    return PdfFile(Source(path="", media_type="application/pdf"), RenderLimits(), io.BytesIO(document.tobytes()))


def inspected(document):
    return opened(document).inspect(1)


def texts(inspection):
    return [line.text for line in inspection.lines]


def signed(annotation, author="Ada Osei", content=None, date="D:20240301123045+01'00'"):
    annotation.set_info(title=author, content=content or "", modDate=date)
    annotation.update()
    return annotation
