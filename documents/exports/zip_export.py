"""Writes a document as a zip: Markdown, JSON and its figures as PNG."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping
from typing import BinaryIO

from documents.exports.json_export import json_pieces
from documents.exports.markdown import markdown
from documents.values import Document

ENTRY_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip can state


def write_zip(document: Document, pictures: Mapping[str, bytes], file: BinaryIO) -> None:
    """`document.md`, `document.json`, and the pictures (PNG) by their names."""
    with zipfile.ZipFile(file, "w") as archive:
        _put(archive, "document.md", [markdown(document).encode()])
        _put(archive, "document.json", (piece.encode() for piece in json_pieces(document)))
        for name in sorted(pictures):
            _put(archive, name, [pictures[name]], zipfile.ZIP_STORED)


def _put(archive: zipfile.ZipFile, name: str, pieces: Iterable[bytes], how: int = zipfile.ZIP_DEFLATED) -> None:
    entry = zipfile.ZipInfo(name, ENTRY_TIME)
    entry.compress_type = how
    with archive.open(entry, "w") as content:
        content.writelines(pieces)
