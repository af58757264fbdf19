"""Reads the structure tree (tags) of a tagged PDF with PDFium, within limits.

Nothing here is believed yet: a tree may lie, repeat itself or be cut off at a limit.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pymupdf
import pypdfium2.raw as pdfium

from documents.boxes import BoundingBox
from documents.page_tree import PageTree, TreeContent, TreeNode

MAX_DEPTH = 48  # maximum depth of nested elements
MAX_NODES = 5000  # maximum number of elements per page
MAX_KIDS = 60_000  # maximum number of children visited of all elements of a page, including those of other pages
MAX_OBJECTS = 30_000  # maximum number of objects that a page draws
MAX_BOXES = 20_000  # maximum number of boxes of all marked content of a page
MAX_ALT_CHARACTERS = 2000
MAX_ROLE = 40
ARTIFACT_MARK = -1  # stands for the number of a mark
TEXT_OBJECT_TYPES = (pdfium.FPDF_PAGEOBJ_TEXT, pdfium.FPDF_PAGEOBJ_FORM)
MIN_LINE_OVERLAP = 0.5  # minimum overlap of two boxes of one line, as a share of the lower one's height

_Edges = tuple[float, float, float, float]


class TaggedPdf:
    """One document, open in PDFium beside MuPDF for its tree alone; `None` in place of a tree that cannot be read."""

    def __init__(self, content: memoryview, password: str | None) -> None:
        self._bytes = np.frombuffer(content, np.uint8)  # PDFium reads them as long as the document is open
        self._pdf = pdfium.FPDF_LoadMemDocument64(
            ctypes.c_void_p(self._bytes.ctypes.data), len(self._bytes), (password or "").encode()
        )

    def page_tree(self, number: int, upright: pymupdf.Matrix) -> PageTree | None:
        """The tree of one page, counted from 1; `upright` takes its own coordinates to points of the upright page."""
        with contextlib.ExitStack() as opened:
            page = pdfium.FPDF_LoadPage(self._pdf, number - 1) if self._pdf else None
            if not page:
                return None
            opened.callback(pdfium.FPDF_ClosePage, page)
            tree = pdfium.FPDF_StructTree_GetForPage(page)
            if not tree:
                return None
            opened.callback(pdfium.FPDF_StructTree_Close, tree)
            walk = _Walk()
            walk.read(tree)
            return walk.page_tree(_drawn(page, upright)) if walk.nodes else None

    def close(self) -> None:
        if self._pdf:
            pdfium.FPDF_CloseDocument(self._pdf)
            self._pdf = None


class _Walk:
    """The nodes of one page from the root down, and its marked content in the order of the tree."""

    def __init__(self) -> None:
        self.nodes: list[TreeNode] = []
        self.contents: dict[int, int] = {}  # the node of each marked content, the first to name it
        self._kids = 0

    def read(self, tree: Any) -> None:
        for k in range(self._count(pdfium.FPDF_StructTree_CountChildren(tree))):
            self._element(pdfium.FPDF_StructTree_GetChildAtIndex(tree, k), -1, 0)

    def page_tree(self, drawn: dict[int, _Drawn]) -> PageTree:
        """`drawn` is what stands within each mark."""
        contents: list[TreeContent] = []
        left = MAX_BOXES
        for mark, node in self.contents.items():
            own = drawn.get(mark)
            if own is not None and left > 0:
                left -= len(own.lines) + len(own.pictures)
                contents.append(TreeContent(node=node, lines=_values(own.lines), pictures=_values(own.pictures)))
        artifacts = _values(drawn[ARTIFACT_MARK].lines[:MAX_BOXES]) if ARTIFACT_MARK in drawn else ()
        return PageTree(nodes=tuple(self.nodes), contents=tuple(contents), artifacts=artifacts)

    def _element(self, element: Any, parent: int, depth: int) -> None:
        if not element or depth > MAX_DEPTH or len(self.nodes) >= MAX_NODES:
            return
        at = len(self.nodes)
        self.nodes.append(_node(element, parent))
        for k in range(self._count(pdfium.FPDF_StructElement_CountChildren(element))):
            mark = pdfium.FPDF_StructElement_GetChildMarkedContentID(element, k)
            if mark >= 0:
                self.contents.setdefault(mark, at)
                continue
            kid = pdfium.FPDF_StructElement_GetChildAtIndex(element, k)
            if kid:
                self._element(kid, at, depth + 1)
            elif self.nodes[at].role == "TR" and len(self.nodes) < MAX_NODES:  # PDFium shows no cell that is empty
                self.nodes.append(TreeNode(role="TD", parent=at))

    def _count(self, num_kids: int) -> int:
        """How many of an element's kids are looked at."""
        num_kids = max(0, min(num_kids, MAX_KIDS - self._kids))
        self._kids += num_kids
        return num_kids


def _node(element: Any, parent: int) -> TreeNode:
    attributes = {"RowSpan": 1, "ColSpan": 1}
    role = _string(pdfium.FPDF_StructElement_GetType, element, MAX_ROLE)
    if role in ("TD", "TH"):
        attributes |= _numbers(element, attributes)
    return TreeNode(
        role=role,
        parent=parent,
        alt=_string(pdfium.FPDF_StructElement_GetAltText, element, MAX_ALT_CHARACTERS),
        num_rows=attributes["RowSpan"],
        num_columns=attributes["ColSpan"],
    )


def _numbers(element: Any, names: Sequence[str] | dict[str, int]) -> dict[str, int]:
    """The attributes of an element that are numbers of these names; each from 1 to 1000."""
    numbers: dict[str, int] = {}
    value = ctypes.c_float()
    for k in range(min(16, pdfium.FPDF_StructElement_GetAttributeCount(element))):
        attribute = pdfium.FPDF_StructElement_GetAttributeAtIndex(element, k)
        for name in names:
            entry = pdfium.FPDF_StructElement_Attr_GetValue(attribute, name.encode()) if attribute else None
            if entry and pdfium.FPDF_StructElement_Attr_GetNumberValue(entry, value) and 1 <= value.value <= 1000:
                numbers[name] = int(value.value)
    return numbers


def _string(getter: Any, element: Any, most: int) -> str:
    """What a getter of PDFium writes as UTF-16, with an end of two bytes; cut off after `most` characters."""
    size = getter(element, None, 0)
    if not 2 < size <= 1_000_000:
        return ""
    buffer = ctypes.create_string_buffer(size)
    getter(element, buffer, size)
    return buffer.raw[: size - 2].decode("utf-16-le", "replace")[:most].replace("\0", "")


@dataclass(slots=True)
class _Drawn:
    """Where one mark draws text, a box for each line, and where it draws anything else, in one box."""

    lines: list[_Edges] = field(default_factory=list)
    pictures: list[_Edges] = field(default_factory=list)

    def add(self, edges: _Edges, *, is_text: bool) -> None:
        own = self.lines if is_text else self.pictures
        if own and (not is_text or _on_one_line(own[-1], edges)):
            last = own.pop()
            edges = (min(last[0], edges[0]), min(last[1], edges[1]), max(last[2], edges[2]), max(last[3], edges[3]))
        own.append(edges)


def _drawn(page: Any, upright: pymupdf.Matrix) -> dict[int, _Drawn]:
    """What stands within each mark; under ARTIFACT_MARK what is marked as no part of the text."""
    drawn: dict[int, _Drawn] = {}
    edges = [ctypes.c_float() for _ in range(4)]
    for k in range(min(MAX_OBJECTS, pdfium.FPDFPage_CountObjects(page))):
        page_object = pdfium.FPDFPage_GetObject(page, k)
        mark = pdfium.FPDFPageObj_GetMarkedContentID(page_object)
        if mark < 0 and not _is_artifact(page_object):
            continue
        if not pdfium.FPDFPageObj_GetBounds(page_object, *edges):
            continue
        x0, y0, x1, y1 = (edge.value for edge in edges)
        if x1 > x0 and y1 > y0:
            rect = pymupdf.Rect(x0, y0, x1, y1) * upright
            is_text = pdfium.FPDFPageObj_GetType(page_object) in TEXT_OBJECT_TYPES
            own = drawn.setdefault(max(mark, ARTIFACT_MARK), _Drawn())
            own.add((rect.x0, rect.y0, rect.x1, rect.y1), is_text=is_text)
    return drawn


def _is_artifact(page_object: Any) -> bool:
    """Whether one of its first marks says so."""
    marks = (
        pdfium.FPDFPageObj_GetMark(page_object, k)
        for k in range(min(4, max(0, pdfium.FPDFPageObj_CountMarks(page_object))))
    )
    return any(_mark_name(mark) == "Artifact" for mark in marks if mark)


def _mark_name(mark: Any) -> str:
    buffer, size = (ctypes.c_ushort * MAX_ROLE)(), ctypes.c_ulong()
    is_known = pdfium.FPDFPageObjMark_GetName(mark, buffer, ctypes.sizeof(buffer), size)
    if not is_known or not 2 < size.value <= ctypes.sizeof(buffer):
        return ""
    return bytes(buffer)[: size.value - 2].decode("utf-16-le", "replace")


def _on_one_line(a: _Edges, b: _Edges) -> bool:
    return min(a[3], b[3]) - max(a[1], b[1]) > MIN_LINE_OVERLAP * min(a[3] - a[1], b[3] - b[1])


def _values(boxes: Sequence[_Edges]) -> tuple[BoundingBox, ...]:
    finite = (box for box in boxes if np.isfinite(box).all())
    return tuple(BoundingBox(x0=x0, y0=y0, x1=x1, y1=y1) for x0, y0, x1, y1 in finite)
