"""PartialPage: the client's value for a page that OCR is still reading."""

from __future__ import annotations

from pagemill.places import BoundingBox, Value


class PartialRegion(Value):
    """A region of a page that is not done yet."""

    kind: str
    box: BoundingBox  # in points of the page as the file shows it
    text: str | None = None  # that OCR read; None: nothing was read there yet, or nothing needs to be


class PartialPage(Value):
    """How far the reading of one page is."""

    number: int
    size: tuple[float, float]  # of the page, in points
    regions: tuple[PartialRegion, ...]
    num_to_read: int = 0  # regions that OCR reads, or has read; 0 where it reads the page as a whole

    @property
    def num_read(self) -> int:
        """Regions that OCR has read by now."""
        return sum(region.text is not None for region in self.regions)
