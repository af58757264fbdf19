"""Reads pictures embedded in web pages as `data:` URLs; no other address is opened."""

from __future__ import annotations

import base64
import binascii
from urllib.parse import unquote_to_bytes

from documents.office.packages.unpack_limits import MAX_PICTURES

MAX_BYTES = 40_000_000  # maximum length of one encoded picture


class DataPictures:
    """Each picture has a name by its number; it is decoded when it is read."""

    def __init__(self) -> None:
        self._addresses: list[str] = []

    def name(self, address: str) -> str | None:
        """The name of the picture at this address; None where it holds none."""
        is_picture = address[:11].lower() == "data:image/" and len(address) <= MAX_BYTES
        if not is_picture or len(self._addresses) >= MAX_PICTURES:
            return None
        self._addresses.append(address)
        return f"picture-{len(self._addresses)}"

    def read(self, name: str) -> bytes | None:
        number = name.removeprefix("picture-")
        if not number.isdecimal() or not 1 <= int(number) <= len(self._addresses):
            return None
        head, _, content = self._addresses[int(number) - 1].partition(",")
        if not head.lower().rstrip().endswith(";base64"):
            return unquote_to_bytes(content)
        try:
            return base64.b64decode(unquote_to_bytes(content))
        except (binascii.Error, ValueError):
            return None
