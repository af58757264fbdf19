"""What the full-text index of one table counts, recovered from the scores that it gives: LanceDB does not tell it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
import pyarrow as pa
from lancedb.expr import Expr, col
from lancedb.table import AsyncTable

from retrieval.index.bm25 import BM25_B, BM25_K1, Term, TermCounts, TermStatistics, terms_of

SAMPLE_ROWS = 64
MAX_TERMS = 20_000  # kept per table
MAX_RARITY = 40.0  # of a word in one of more texts than anybody has
MIN_LENGTH_RATIO = 1.5  # of the longest to the shortest text with a word, so that its scores tell the mean length
MIN_TEXTS = 4  # of these


class TableStatistics:
    """Counts of one table, kept until its full-text index is another.

    Rows that are in no full-text index yet are left out where others are in it, as LanceDB scores those without them.
    """

    def __init__(self, table: AsyncTable) -> None:
        self._table = table
        self._version: object = None
        self._num_texts = 0
        self._mean_terms = 1.0
        self._num_texts_with: dict[str, int] = {}
        self._reading = asyncio.Lock()

    async def of(self, terms: Collection[Term]) -> TermStatistics:
        """The statistics of the table, and how many of its texts have each of these terms."""
        (config,) = [index for index in await self._table.list_indices() if index.columns == ["searched"]]
        indexed = bool(config.num_indexed_rows)
        version = config.index_uuid if indexed else await self._table.version()
        async with self._reading:
            if version != self._version:
                self._num_texts_with.clear()
                self._num_texts, self._mean_terms = await self._measured(indexed)
                self._version = version
            if len(self._num_texts_with) > MAX_TERMS:
                self._num_texts_with.clear()
            unknown = [term for term in terms if term.stem not in self._num_texts_with]
            numbers = await asyncio.gather(*(self._count(term, indexed) for term in unknown))
            self._num_texts_with.update(zip([term.stem for term in unknown], numbers, strict=True))
            counts = {term.stem: self._num_texts_with[term.stem] for term in terms}
            return TermStatistics(self._num_texts, self._mean_terms, counts)

    async def _count(self, term: Term, indexed: bool) -> int:
        """How many texts have `term`, by the score of the best of them."""
        hits = await self._hits(term.word, indexed, ["searched", "_score"], 1)
        if not len(hits):
            return 0
        text = await asyncio.to_thread(TermCounts.of, hits["searched"][0].as_py())
        if not text.counts[term.stem]:  # the index was made with another tokenizer
            return len(await self._hits(term.word, indexed, ["_score"], await self._table.count_rows()))
        here = TermStatistics(self._num_texts, self._mean_terms, {})
        rarity = hits["_score"][0].as_py() / here.saturation(text.counts[term.stem], text.num_terms)
        return max(1, round((self._num_texts + 1) / math.exp(rarity) - 0.5))

    async def _measured(self, indexed: bool) -> tuple[int, float]:
        """How many texts there are, and the mean of their terms: those of a few rows; else from the scores of one term
        in texts of different lengths, and how many texts have it.
        """
        rows = await self._table.query().select(["key", "searched"]).limit(SAMPLE_ROWS).to_arrow()
        sample = await asyncio.to_thread(_counted, rows)
        lengths = [text.num_terms for text in sample.values() if text.num_terms]
        mean = sum(lengths) / len(lengths) if lengths else 1.0
        if len(sample) < SAMPLE_ROWS:
            return len(lengths), mean
        term = await asyncio.to_thread(_spread_term, sample, rows["searched"].to_pylist())
        if term is None:
            return await self._table.count_rows(), mean
        # while nothing is indexed, LanceDB counts the rows that a filter leaves
        where = col("key").isin([key for key, text in sample.items() if term.stem in text.counts]) if indexed else None
        hits = await self._hits(term.word, indexed, ["key", "searched", "_score"], SAMPLE_ROWS, where)
        texts = (await asyncio.to_thread(_counted, hits)).values()
        solution = _solved([(text.counts[term.stem], text.num_terms) for text in texts], hits["_score"].to_pylist())
        if solution is None:
            return await self._table.count_rows(), mean
        mean, rarity = solution
        num_texts_with = len(await self._hits(term.word, indexed, ["_score"], await self._table.count_rows()))
        return round((num_texts_with + 0.5) * math.exp(rarity) - 1), mean

    async def _hits(
        self, word: str, indexed: bool, columns: list[str], limit: int, where: Expr | None = None
    ) -> pa.Table:
        query = self._table.query().nearest_to_text(word, columns=["searched"]).select(columns).limit(limit)
        query = query.fast_search() if indexed else query
        return await (query if where is None else query.where(where)).to_arrow()


def _counted(sample: pa.Table) -> dict[str, TermCounts]:
    return dict(zip(sample["key"].to_pylist(), map(TermCounts.of, sample["searched"].to_pylist()), strict=True))


def _spread_term(sample: Mapping[str, TermCounts], texts: Iterable[str]) -> Term | None:
    """The rarest term whose texts differ enough in length, else that whose texts differ most; None where none do."""
    lengths: dict[str, list[int]] = {}
    for text in sample.values():
        for stem in text.counts:
            lengths.setdefault(stem, []).append(text.num_terms)
    ratios = {stem: max(some) / min(some) for stem, some in lengths.items() if max(some) > min(some)}
    clear = [stem for stem, ratio in ratios.items() if ratio >= MIN_LENGTH_RATIO and len(lengths[stem]) >= MIN_TEXTS]
    if clear:
        stem = min(clear, key=lambda stem: (len(lengths[stem]), -ratios[stem], stem))
    else:
        stem = max(ratios, key=lambda stem: (ratios[stem], stem), default=None)
    return next((term for text in texts for term in terms_of(text) if term.stem == stem), None)


def _solved(texts: Sequence[tuple[int, int]], scores: Sequence[float]) -> tuple[float, float] | None:
    """The mean length and the rarity by which one term's scores in texts of (count, length) are as they are.

    BM25 times its denominator is linear in 1 / mean and rarity: their least squares. None where the texts do not tell.
    """
    pairs = list(zip(texts, scores, strict=True))
    if not pairs:
        return None
    matrix = [[BM25_K1 * BM25_B * length * score, -(BM25_K1 + 1) * count] for (count, length), score in pairs]
    right = [-score * (count + BM25_K1 * (1 - BM25_B)) for (count, _), score in pairs]
    (inverse, rarity), _, rank, _ = np.linalg.lstsq(np.array(matrix), np.array(right))
    is_possible = rank == 2 and 0 < inverse <= 1 and 0 < rarity < MAX_RARITY
    return (float(1 / inverse), float(rarity)) if is_possible else None
