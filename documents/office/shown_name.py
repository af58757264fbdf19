"""Makes the name of a file inside another harmless: it is shown, and used as no path."""

from __future__ import annotations

import posixpath

from documents.office.paragraph_text import clean

MAX_NAME_CHARACTERS = 200


def shown_name(name: str) -> str:
    """The name as a path within the file that it lies in, whatever it says."""
    return posixpath.normpath("/" + clean(name.replace("\\", "/"))).lstrip("/")[-MAX_NAME_CHARACTERS:] or "file"
