"""Bytes become the characters that their author wrote, whatever the file declares."""

from __future__ import annotations

import pytest

from documents.office.text_decoding import decoded


@pytest.mark.parametrize("name", ["utf-16", "utf-16le", "UTF-16BE", "utf-32"])
def test_utf_16_that_is_declared_over_utf_8_is_not_believed(name: str) -> None:
    """Guards against Chinese characters in place of English ones: an even number of bytes is sound UTF-16."""
    page = f'<html><meta charset="{name}"><p>Zürich is open</p></html>'
    page += " " * (len(page.encode()) % 4 and 4 - len(page.encode()) % 4)
    assert "Zürich is open" in decoded(page.encode(), in_markup=True)
    assert decoded(b"plain words!", name) == "plain words!"


def test_utf_16_that_is_declared_and_true_is_believed() -> None:
    assert decoded("日本語の文章".encode("utf-16-le"), "utf-16-le") == "日本語の文章"
    assert decoded("plain words".encode("utf-16-le"), "utf-16-le") == "plain words"
    assert decoded("plain words".encode("utf-16-be")) == "plain words"


@pytest.mark.parametrize("distance", [100, 20_000])
def test_a_charset_that_a_page_names_late_is_believed(distance: int) -> None:
    """Guards against Western letters in place of Cyrillic ones: browsers read again after a late meta element."""
    head = f"<html><head><script>{'a = 1;' * (distance // 6)}</script><meta charset=windows-1251></head>"
    assert "Аренда офисов" in decoded((head + "<p>Аренда офисов").encode("cp1251"), in_markup=True)
