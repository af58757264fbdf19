"""Writes a document as a zip: Markdown, JSON and its figures as PNG."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

from documents.exports.json_export import to_json
from documents.exports.markdown import markdown
from documents.values import Document

ENTRY_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip can state


def to_zip(document: Document, pictures: Mapping[str, bytes]) -> bytes:
    """`document.md`, `document.json`, and the pictures (PNG) by their names."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        _put(archive, "document.md", markdown(document).encode())
        _put(archive, "document.json", to_json(document).encode())
        for name in sorted(pictures):
            _put(archive, name, pictures[name], zipfile.ZIP_STORED)
    return file.getvalue()


def _put(archive: zipfile.ZipFile, name: str, content: bytes, how: int = zipfile.ZIP_DEFLATED) -> None:
    entry = zipfile.ZipInfo(name, ENTRY_TIME)
    entry.compress_type = how
    archive.writestr(entry, content)
