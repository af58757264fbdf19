"""Lists and reads the files that a PDF carries: embedded in it, as in a portfolio, or pinned to a page."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import pymupdf
from pymupdf import mupdf

from documents.boxes import BoundingBox
from documents.errors import TooLargeUnpacked, UnreadableDocument

MAX_FILES = 1000  # maximum number of files per PDF
MAX_PAGES = 2000  # maximum number of pages on which pinned files are searched
MAX_ANNOTATIONS = 100_000  # maximum number of annotations on all these pages
MAX_NAME_CHARACTERS = 200
MAX_OTHER_BYTES = 32_000  # packed, by another filter than Flate: they unpack to some 3,000 times as many at most
FLATE = frozenset({"FlateDecode", "Fl", "Crypt"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CarriedFile:
    """A file in a PDF; `relation` is what the PDF's author says that it is to the pages, such as `Source` or `Data`."""

    name: str
    media_type: str
    relation: str
    xref: int  # of its content
    page: int | None = None  # that it is pinned to, and where
    box: BoundingBox | None = None


def carried_files(pdf: pymupdf.Document) -> tuple[list[CarriedFile], bool]:
    """The files, each once, and whether there are more, or may be."""
    files: dict[int, CarriedFile] = {}
    is_cut = False
    with suppress(Exception):  # a damaged list is no reason to lose the pages
        for specification in _listed(pdf):
            file = _file(specification)
            if file is not None:
                files.setdefault(file.xref, file)
    with suppress(Exception):
        pinned = _Pinned(pdf)
        for file in pinned.files():
            files.setdefault(file.xref, file)
            if len(files) > MAX_FILES:
                break
        is_cut = pinned.is_cut
    return list(files.values())[:MAX_FILES], is_cut or len(files) > MAX_FILES


def content_of(pdf: pymupdf.Document, file: CarriedFile, max_bytes: int) -> bytes:
    """The bytes of a carried file. Raises TooLargeUnpacked, UnreadableDocument."""
    packed: bytes = pdf.xref_stream_raw(file.xref) or b""
    names = _flate_filters(pdf, file.xref)
    if names is not None:
        content = packed
        for name in names:
            content = content if name == "Crypt" else _inflated(content, max_bytes)
    elif len(packed) <= MAX_OTHER_BYTES:
        content = pdf.xref_stream(file.xref) or b""
    else:
        raise UnreadableDocument("it is packed in a way that is not read")
    if len(content) > max_bytes:
        raise TooLargeUnpacked(f"it unpacks to more than {max_bytes} bytes")
    return content


def _flate_filters(pdf: pymupdf.Document, xref: int) -> list[str] | None:
    """The filters of a stream, in their order; None where there is another than Flate, or one with parameters."""
    stream = mupdf.pdf_load_object(mupdf.pdf_document_from_fz_document(pdf.this), xref)
    filters = mupdf.pdf_resolve_indirect_chain(mupdf.pdf_dict_gets(stream, "Filter"))
    others = (mupdf.pdf_dict_gets(stream, key) for key in ("F", "DP", "DecodeParms"))
    if any(not mupdf.pdf_is_null(mupdf.pdf_resolve_indirect_chain(other)) for other in others):
        return None
    if mupdf.pdf_is_null(filters):
        return []
    if mupdf.pdf_is_array(filters):
        names = [mupdf.pdf_to_name(mupdf.pdf_array_get(filters, k)) for k in range(mupdf.pdf_array_len(filters))]
    else:
        names = [mupdf.pdf_to_name(filters)]
    return names if FLATE.issuperset(names) else None


def _inflated(packed: bytes, max_bytes: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(packed, max_bytes + 1)
    except zlib.error as error:
        raise UnreadableDocument("its content is damaged") from error


def _listed(pdf: pymupdf.Document) -> Iterator[mupdf.PdfObj]:
    """The file specifications of the whole document, by its names and as associated files."""
    document = mupdf.pdf_document_from_fz_document(pdf.this)
    tree = mupdf.pdf_load_name_tree(document, mupdf.pdf_new_name("EmbeddedFiles"))
    for k in range(min(MAX_FILES + 1, mupdf.pdf_dict_len(tree))):
        yield mupdf.pdf_dict_get_val(tree, k)
    associated = mupdf.pdf_dict_getp(mupdf.pdf_trailer(document), "Root/AF")
    for k in range(min(MAX_FILES + 1, mupdf.pdf_array_len(associated))):
        yield mupdf.pdf_array_get(associated, k)


class _Pinned:
    """Looks for files that annotations hold; `is_cut` says that some pages were not looked at."""

    def __init__(self, pdf: pymupdf.Document) -> None:
        self._pdf = pdf
        self.is_cut = pdf.page_count > MAX_PAGES

    def files(self) -> Iterator[CarriedFile]:
        num_left = MAX_ANNOTATIONS
        document = mupdf.pdf_document_from_fz_document(self._pdf.this)
        for index in range(min(MAX_PAGES, self._pdf.page_count)):
            annotations = mupdf.pdf_dict_gets(mupdf.pdf_lookup_page_obj(document, index), "Annots")
            num_annotations = mupdf.pdf_array_len(annotations)
            num_left -= num_annotations
            if num_left < 0:
                self.is_cut = True
                return
            for k in range(num_annotations):
                annotation = mupdf.pdf_array_get(annotations, k)
                if mupdf.pdf_to_name(mupdf.pdf_dict_gets(annotation, "Subtype")) == "FileAttachment":
                    file = _file(mupdf.pdf_dict_gets(annotation, "FS"), index + 1, self._place(annotation, index))
                    if file is not None:
                        yield file

    def _place(self, annotation: mupdf.PdfObj, index: int) -> BoundingBox:
        page = self._pdf[index]
        rect = mupdf.pdf_dict_get_rect(annotation, mupdf.pdf_new_name("Rect"))
        upright = pymupdf.Matrix(page.transformation_matrix) * page.rotation_matrix
        place = pymupdf.Rect(rect.x0, rect.y0, rect.x1, rect.y1) * upright
        return BoundingBox(x0=place.x0, y0=place.y0, x1=place.x1, y1=place.y1)


def _file(specification: mupdf.PdfObj, page: int | None = None, box: BoundingBox | None = None) -> CarriedFile | None:
    """None where it only names a file elsewhere."""
    contents = (mupdf.pdf_dict_getp(specification, f"EF/{key}") for key in ("UF", "F", "Unix", "DOS", "Mac"))
    content = next((stream for stream in contents if mupdf.pdf_is_stream(stream)), None)
    if content is None:
        return None
    names = (mupdf.pdf_to_text_string(mupdf.pdf_dict_gets(specification, key)) for key in ("UF", "F", "Desc"))
    return CarriedFile(
        name=next((name for name in names if name), "")[-MAX_NAME_CHARACTERS:],
        media_type=mupdf.pdf_to_name(mupdf.pdf_dict_gets(content, "Subtype"))[:MAX_NAME_CHARACTERS],
        relation=mupdf.pdf_to_name(mupdf.pdf_dict_gets(specification, "AFRelationship")),
        xref=mupdf.pdf_to_num(content),
        page=page,
        box=box,
    )
