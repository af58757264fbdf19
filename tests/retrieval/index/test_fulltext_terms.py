"""Words as full text looks for them, alone and through a real index."""

import pytest

from retrieval.index.fulltext_terms import fulltext_query, indexed_text, words_of
from retrieval.search.query import Query
from retrieval.search.search import Searcher
from tests.retrieval.index_making import chunks_of

TEXTS = [
    "东京是日本的首都。",
    "日本国憲法は1947年に施行された。",
    "서울은 대한민국의 수도이다.",
    "กรุงเทพมหานครเป็นเมืองหลวง",
    "The information was ﬁnally given to a self-made man.",
    "Part ＡＢ１２ costs 1,234.56 in v2.3.1, naïve café.",
]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("首都", 0),
        ("憲法", 1),
        ("憲", 1),
        ("施行された年", 1),
        ("수도", 2),
        ("เมืองหลวง", 3),
        ("information", 4),
        ("finally", 4),
        ("self made", 4),
        ("AB12", 5),
        ("1,234.56", 5),
        ("2.3.1", 5),
        ("cafe", 5),
    ],
)
def test_words_are_found_in_any_script(with_index, query, expected):
    """Guards against whole documents that no query finds: by blanks alone a Chinese sentence is one word."""

    async def use(index):
        await index.replace("doc", "default", 1, chunks_of("doc", TEXTS, headings=()), None)
        return await Searcher(index).search(Query(text=query, mode="full_text"), None)

    assert with_index(use).passages[0].ordinal == expected


def test_text_with_blanks_stays_as_it_is():
    """Guards against terms that change what Latin text weighs."""
    plain = "Well-known C++ signs, snake_case: 7-8 a-\nb (x) naïve."
    assert indexed_text(plain) == fulltext_query(plain) == plain


def test_a_run_is_kept_by_letters_and_pairs_and_asked_for_by_pairs():
    """A letter matches half of all texts; a pair is nearly a word."""
    assert indexed_text("日本国").split() == ["日", "本", "国", "日本", "本国"]
    assert fulltext_query("日本国").split() == ["日本", "本国"]
    assert fulltext_query("国").split() == ["国"]
    assert words_of("Das Haus 日本国") == {"das", "haus", "日本", "本国"}
