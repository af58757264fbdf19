"""`benchmarks.ocr_use`: the counts that say whether OCR was used where it must be."""

from pathlib import Path

from benchmarks.ocr_use import _wanted, folded, pages_read

MANIFEST = "file,kind,truth,ocr_pages\npages/a.pdf,scan,t.md,1 3\npages/b.pdf,real,t.md,0\npages/c.pdf,hostile,,1\n"


def test_a_page_read_in_part_by_ocr_counts() -> None:
    """Guards against needless OCR that hides behind a text layer on the same page."""
    pages = [{"number": 1, "text_source": "mixed"}, {"number": 2, "text_source": "text_layer"}, {"number": 3}]
    assert pages_read({"pages": pages}) == [1]


def test_the_manifest_says_which_pages_need_ocr(tmp_path: Path) -> None:
    """Guards against the 0 of born-digital files being taken for a page."""
    (tmp_path / "manifest.csv").write_text(MANIFEST, encoding="utf-8")
    assert _wanted(tmp_path) == {"a.pdf": {1, 3}, "b.pdf": set()}


def test_typography_is_no_error() -> None:
    """Guards against quotes and dashes that count as misread."""
    assert folded("“a”  – ﬁn") == '"a" - fin'
