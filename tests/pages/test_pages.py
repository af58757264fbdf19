"""Pages that a person has read: the library's Markdown is the accepted one, or the page is listed in `differs.md`.

`pytest tests/pages --runxfail -k NAME` shows the difference of a listed page.
"""

from __future__ import annotations

import unicodedata

import pytest

from tests.pages.accepted_pages import FOLDER, MAX_BYTES, accepted, difference, gaps, names, num_changed

GAPS = gaps()


def _page(name: str):
    """A page that is not read right yet is expected to fail: a change that repairs it must take it off the list."""
    gap = GAPS.get(name)
    marks = [] if gap is None else [pytest.mark.xfail(reason=gap.cause, raises=AssertionError, strict=True)]
    return pytest.param(name, marks=marks)


@pytest.mark.parametrize("name", [_page(name) for name in names()])
def test_a_page_is_read_as_a_person_accepted_it(read_markdown, name):
    diff = difference(name, read_markdown(FOLDER / f"{name}.pdf"))
    listed = GAPS[name].num_lines if name in GAPS else 0
    if num_changed(diff) > listed > 0:
        pytest.fail(f"{num_changed(diff)} lines differ, {listed} are listed:\n" + "\n".join(diff))
    assert not diff, f"{num_changed(diff)} lines differ:\n" + "\n".join(diff)


@pytest.mark.parametrize("name", names())
def test_a_page_is_small_and_its_truth_and_source_are_written_down(name):
    assert (FOLDER / f"{name}.pdf").stat().st_size <= MAX_BYTES
    assert unicodedata.is_normalized("NFC", accepted(name))
    assert f"| `{name}` |" in (FOLDER / "README.md").read_text(encoding="utf-8")


def test_every_listed_page_exists():
    assert set(GAPS) <= set(names())
