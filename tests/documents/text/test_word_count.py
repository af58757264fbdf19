"""Words are counted in every script."""

from __future__ import annotations

import pytest

from documents.text.word_count import num_words


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("", 0, 0),
        ("   ", 0, 0),
        ("A plain sentence - of words", 6, 6),
        ("Привет, мир", 2, 2),
        ("대한민국의 수도는 서울이다", 3, 3),
        ("经济增长主要来自内需的扩大", 6, 8),  # jieba and people: 经济 增长 主要 来自 内需 的 扩大
        ("国境の長いトンネルを抜けると雪国であった。", 9, 13),  # MeCab: 13 morphemes
        ("ประเทศไทยมีภูเขาสูงและน้ำใส", 6, 12),  # 8 words
        ("ဗမာစာ", 1, 3),
        ("ភាសាខ្មែរ", 1, 4),
        ("中国的GDP增长", 4, 4),
        ("表 3", 2, 2),
        ("。", 1, 1),
    ],
)
def test_words_are_counted_whether_or_not_spaces_part_them(text, least, most):
    """Guards against Chinese lines of forty characters that count as one word, and so as labels or cells."""
    assert least <= num_words(text) <= most
