"""Tagged PDFs as truth of headings, lists and order, in two halves; and how a result is scored by them."""

from __future__ import annotations

import csv
import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

import pymupdf

from benchmarks.truths.tagged_pdf import TaggedPage, tagged_pages

MAX_PAGES = 12  # of one document, spread over it
MAX_OF_FAMILY = 3  # documents whose names begin alike in one folder: one template is one voice of many
MIN_WORDS = 120  # of a document's truth
MIN_LETTERS = 3  # of a text whose type counts
ALIKE = 0.6  # words that two documents share, of those that either has: then one of them is enough
MAX_UNTAGGED = 0.3  # of the texts in the type of headings, that a tree has as paragraphs: more, and it is left out
MAX_UNSEEN = 0.5  # of the headings, that are set as the text is
MAX_WORDS = 15  # of a paragraph that looks like a heading
LARGER = 1.2  # times the size of the text: a short paragraph in it looks like a heading
HALVES = ("tuned", "held")
SCORES = ("heads", "levels", "order", "lists")
ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\\?\(?\w{1,5}\\?[.)]\s+)?(.+)$", re.M)
LINK = re.compile(r"(?<!!)\[([^\]\n]*)\]\([^()\s]*\)")
LEADERS = re.compile(r"(?:[.…·_]\s?){4,}|\s…(?=\s)")  # from an entry of a contents to its page
LEVEL = re.compile(r"^(#{1,6})\s+(.+?)\s*#*\s*$", re.M)

Scores = dict[str, float | None]


@dataclass(frozen=True, slots=True)
class Tagged:
    """A tagged PDF, the pages that are a truth, and its half."""

    name: str
    path: Path
    pages: tuple[TaggedPage, ...]
    half: str


def tagged_documents(folders: Sequence[Path], corpus: Path, max_of_family: int = MAX_OF_FAMILY) -> list[Tagged]:
    """All under the folders with enough truth; none of the corpus, of those that are alike one, of a family a few."""
    with (corpus / "manifest.csv").open(encoding="utf-8", newline="") as manifest:
        tuned_on = {row["sha256"] for row in csv.DictReader(manifest)}
    word_sets: list[set[str]] = []
    families: dict[str, int] = {}
    documents: list[Tagged] = []
    listed = [(path, path.relative_to(folder.parent)) for folder in folders for path in folder.rglob("*.pdf")]
    digests = {path: hashlib.sha256(path.read_bytes()).hexdigest() for path, _ in listed}
    for path, name in sorted(listed, key=lambda entry: digests[entry[0]]):
        family = family_of(name)
        if digests[path] in tuned_on or families.get(family, 0) == max_of_family:
            continue
        pages = tagged_pages(path, MAX_PAGES, spread=True)
        if not headings_agree_with_type(pages):
            pages = [replace(page, scores=page.scores - {"heads"}) for page in pages]
        words = [word for page in pages for word in page.markdown.split()]
        words_of_document = set(words)
        if len(words) < MIN_WORDS or any(
            len(words_of_document & other) > ALIKE * len(words_of_document | other) for other in word_sets
        ):
            continue
        word_sets.append(words_of_document)
        families[family] = families.get(family, 0) + 1
        documents.append(Tagged(str(name), path, tuple(pages), half_of(family)))
    return sorted(documents, key=lambda document: document.name)


def headings_agree_with_type(pages: Sequence[TaggedPage]) -> bool:
    """Whether a reader of the pages could tell the tree's headings: nearly all that is set as they are is tagged so."""
    texts = [text for page in pages for text in page.texts if text.num_letters >= MIN_LETTERS]
    letters: Counter[tuple[str, float]] = Counter()
    for text in texts:
        letters[text.font, text.size] += text.num_letters
    body = max(letters, key=letters.__getitem__, default=("", 0.0))
    headings = [(text.font, text.size) for text in texts if text.role == "heading"]
    visible = [kind for kind in headings if kind != body]
    if len(headings) - len(visible) > MAX_UNSEEN * len(headings):
        return False
    short = [text for text in texts if text.role == "paragraph" and text.num_words <= MAX_WORDS]
    untagged = [
        text
        for text in short
        if (text.font, text.size) != body and ((text.font, text.size) in visible or text.size >= LARGER * body[1])
    ]
    return len(untagged) <= MAX_UNTAGGED * (len(untagged) + len(visible))


def family_of(name: Path) -> str:
    """Its first folder and the first two words of its name, up to a number: one template falls into one half."""
    head = re.split(r"(?<=[A-Za-z]).?\d", name.stem)[0]
    words = re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", head).lower())
    return " ".join((name.parts[0], *words[:2]))


def half_of(family: str) -> str:
    """The same for all time, whatever else is in the folders."""
    return HALVES[hashlib.sha256(family.encode()).digest()[0] % 2]


def stripped(source: Path, target: Path) -> None:
    """Write a copy that has no structure tree, so that nobody reads the truth."""
    with pymupdf.open(source) as document:
        catalog = document.pdf_catalog()
        for name in ("StructTreeRoot", "MarkInfo"):
            document.xref_set_key(catalog, name, "null")
        document.save(target)


def document_scores(pages: Sequence[TaggedPage], results: Sequence[str], score: Any) -> Scores:
    """Means over the pages of which the truth says something; `levels` is one score of all headings in a row.

    `score` is the corpus' script; links count as their words, since a tree has no more, and leaders as nothing, since a
    hundred dots of an entry hide its words. `levels`: of each two headings that follow one another, whether the second
    is higher, lower or as high in both; only those found count.
    """
    by_page: dict[str, list[float]] = {"heads": [], "order": [], "lists": []}
    ranks: list[tuple[int, int]] = []
    for page, result in zip(pages, (LEADERS.sub(" ", LINK.sub(r"\1", result)) for result in results), strict=True):
        scores = score.score(LEADERS.sub(" ", page.markdown), result)
        lists = score.head_score(page.items, ITEM.findall(result)) if page.items else None
        for name, value in (("heads", scores["heads"]), ("order", scores["order"]), ("lists", lists)):
            if value is not None and (name == "lists" or name in page.scores):
                by_page[name].append(value)
        ranks += matched_levels(LEVEL.findall(page.markdown), LEVEL.findall(result), score)
    steps = [_sign(a[0] - b[0]) == _sign(a[1] - b[1]) for a, b in pairwise(ranks)]
    means = {name: fmean(values) if values else None for name, values in by_page.items()}
    return {"heads": means["heads"], "levels": fmean(steps) if steps else None} | {
        "order": means["order"],
        "lists": means["lists"],
    }


def matched_levels(
    truth: Sequence[tuple[str, str]], result: Sequence[tuple[str, str]], score: Any
) -> list[tuple[int, int]]:
    """The levels in truth and result of each heading that is in both, in the order of the truth."""
    left = [(len(marks), score.plain(text)) for marks, text in result]
    pairs: list[tuple[int, int]] = []
    for marks, text in truth:
        best = max(left, key=lambda candidate: score.fuzz.ratio(candidate[1], score.plain(text)), default=None)
        if best is not None and score.fuzz.ratio(best[1], score.plain(text)) >= 85:
            left.remove(best)
            pairs.append((len(marks), best[0]))
    return pairs


def _sign(step: int) -> int:
    return (step > 0) - (step < 0)
