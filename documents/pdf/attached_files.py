"""Names the files that a PDF carries: in its list of embedded files, as a portfolio does, or pinned to a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice

import pymupdf
from pymupdf import mupdf

from documents.boxes import BoundingBox
from documents.values import PageWarning

MAX_NAMED = 20  # files that have a warning of their own
MAX_NAME = 200  # characters
MAX_ANNOTATIONS = 2000  # of a page that are looked at


def embedded_file_warnings(pdf: pymupdf.Document) -> tuple[PageWarning, ...]:
    """A warning for each file in the document's own list."""
    try:
        infos = [pdf.embfile_info(k) for k in range(min(MAX_NAMED, pdf.embfile_count()))]
        num_files = pdf.embfile_count()
    except Exception:  # a damaged list is no reason to lose the pages
        return ()
    warnings = [
        _warning(str(info.get("ufilename") or info.get("filename") or info.get("name") or "")) for info in infos
    ]
    if num_files > MAX_NAMED:
        message = f"{num_files - MAX_NAMED} more files in the PDF were left out"
        warnings.append(PageWarning(code="attachment_unread", message=message))
    return tuple(warnings)


def pinned_file_warnings(page: pymupdf.Page, number: int) -> Iterator[PageWarning]:
    """A warning for each file that an annotation of the page holds, with the place of its sign."""
    for annotation in islice(_file_annotations(page), MAX_NAMED):
        with suppress(Exception):  # it names a file, but holds none
            name = str(annotation.file_info.get("filename") or "")
            rect = annotation.rect * page.rotation_matrix
            yield _warning(name, number, BoundingBox(x0=rect.x0, y0=rect.y0, x1=rect.x1, y1=rect.y1))


def _file_annotations(page: pymupdf.Page) -> Iterable[pymupdf.Annot]:
    if page.first_annot is None:
        return ()
    return islice(page.annots(types=[mupdf.PDF_ANNOT_FILE_ATTACHMENT]), MAX_ANNOTATIONS)


def _warning(name: str, page: int | None = None, box: BoundingBox | None = None) -> PageWarning:
    message = f"{name[:MAX_NAME] or 'a file without a name'} was left out: files in a PDF are not read"
    return PageWarning(code="attachment_unread", message=message, page=page, box=box)
