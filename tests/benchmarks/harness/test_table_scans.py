"""Pages become pictures: the same ones every time, in their own size, without a word of their text layer."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from benchmarks.harness.table_scans import DPI, write_scan


@pytest.fixture
def printed(tmp_path: Path) -> Path:
    path = tmp_path / "crew.pdf"
    with pymupdf.open() as pdf:
        for name in ("Alma", "Berta", "Clara"):
            pdf.new_page(width=300, height=200).insert_text((40, 60), f"{name} has a crew of six")
        pdf[1].set_rotation(90)
        pdf.save(path)
    return path


def pictures(path: Path) -> list[bytes]:
    with pymupdf.open(path) as pdf:
        return [pdf.extract_image(page.get_images()[0][0])["image"] for page in pdf]


@pytest.mark.parametrize("is_worn", [False, True])
def test_a_scan_has_the_pages_asked_for_as_pictures_alone(printed: Path, tmp_path: Path, *, is_worn: bool) -> None:
    """Guards against a text layer that is read instead of the picture."""
    write_scan(printed, (2, 3), scan := tmp_path / "scan.pdf", is_worn=is_worn)
    with pymupdf.open(scan) as pdf:
        assert [tuple(page.rect)[2:] for page in pdf] == [(200, 300), (300, 200)]  # the first of them lies turned
        assert [page.get_text() for page in pdf] == ["", ""]
        widths = [pdf.extract_image(page.get_images()[0][0])["width"] for page in pdf]
    assert all(
        any(abs(width - round(size * dpi / 72)) <= 1 for dpi in DPI)
        for width, size in zip(widths, (200, 300), strict=True)
    )


def test_wear_is_the_same_every_time_and_is_seen(printed: Path, tmp_path: Path) -> None:
    """Guards against figures that differ from run to run."""
    write_scan(printed, (), clean := tmp_path / "clean.pdf", is_worn=False)
    write_scan(printed, (), first := tmp_path / "first.pdf", is_worn=True)
    write_scan(printed, (1, 2, 3), second := tmp_path / "second.pdf", is_worn=True)
    assert pictures(first) == pictures(second)
    assert all(worn != plain for worn, plain in zip(pictures(first), pictures(clean), strict=True))
