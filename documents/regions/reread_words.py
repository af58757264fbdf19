"""Has OCR read the words whose letters a sound region's file does not say, and puts what it read in their places.

Until the page is read these words are drafts of their own, which name the region that they stand in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, groupby, pairwise
from typing import NamedTuple

from documents.boxes import BoundingBox
from documents.draft.page_draft import PageDraft, RegionDraft
from documents.inspection import Inspection, TextLine, Word
from documents.page_index import PageIndex
from documents.region_values import RegionKind
from documents.text.typography import set_words
from documents.values import PageWarning, Reading

UNREADABLE_CHARACTER = re.compile("[\ufffd\ue000-\uf8ff]")
NO_WORDS: tuple[RegionKind, ...] = ("figure", "isolate_formula", "abandon")
MIN_WORD_CHARACTERS = 2  # a shorter word is most likely a bullet or a sign of mathematics, of which OCR makes a letter
MAX_WORDS = 100  # maximum number of words per page
MAX_MARGIN = 0.25  # maximum margin at the ends of a run of words, in type sizes


class ReadWords(NamedTuple):
    """A page with what was read of its words: its lines, the drafts that are regions, and the readings of these."""

    inspection: Inspection
    drafts: tuple[RegionDraft, ...]
    readings: Mapping[int, Reading]
    warnings: tuple[PageWarning, ...]


def words_to_read(page: PageDraft, drafts: Sequence[RegionDraft]) -> tuple[RegionDraft, ...]:
    """A draft for each run of words that OCR is to read, numbered after the others."""
    if page.text_source != "auto":
        return ()
    first = max((draft.index for draft in drafts), default=-1) + 1
    runs = [
        (draft, line, run)
        for draft in drafts
        if _has_sound_words(draft)
        for line in draft.lines
        if line.angle % 180 == 0 and _may_be_read(page, line)
        for run in _runs(page, line)
    ]
    return tuple(
        draft.model_copy(
            update={
                "index": first + number,
                "kind": "plain text",
                "box": _around(line, run),
                "crop_box": _crop(line, run).clipped(page.inspection.box),
                "lines": (),
                "layer_lines": (line,),
                "text_source": "ocr",
                "reason": "characters without a meaning",
                "angle": line.angle,
                "begins": (),
                "words_of": draft.index,
            }
        )
        for number, (draft, line, run) in enumerate(runs[:MAX_WORDS])
    )


def with_read_words(
    inspection: Inspection, drafts: Sequence[RegionDraft], readings: Mapping[int, Reading]
) -> ReadWords:
    """The page without the drafts of words; what was read of them is in their lines."""
    words = [draft for draft in drafts if draft.words_of is not None]
    regions = tuple(draft for draft in drafts if draft.words_of is None)
    if not words:
        return ReadWords(inspection, regions, readings, ())
    texts = {draft.index: " ".join(readings[draft.index].text.split()) for draft in words if draft.index in readings}
    read = [draft for draft in words if texts.get(draft.index)]
    changed: dict[tuple[str, BoundingBox], TextLine] = {}
    for draft in read:
        [line] = draft.layer_lines
        key = line.text, line.box
        changed[key] = _replaced(changed.get(key, line), draft.box, texts[draft.index])
    rest = {index: reading for index, reading in readings.items() if index not in {draft.index for draft in words}}
    return ReadWords(
        inspection.model_copy(update={"lines": _changed(inspection.lines, changed)}),
        tuple(draft.model_copy(update={"lines": _changed(draft.lines, changed)}) for draft in regions),
        rest,
        tuple(_warnings(inspection.number, read, _num_left_out(regions, words))),
    )


def _may_be_read(page: PageDraft, line: TextLine) -> bool:
    return line.bad_share > 0 or not page.layer.unsound_fonts.isdisjoint(line.fonts)


def _runs(page: PageDraft, line: TextLine) -> Iterator[range]:
    """The words of a line, by their numbers, that stand together and of which the file does not say the letters."""
    unsound = page.layer.unsound_fonts
    words = [range(group[0], group[-1] + 1) for group in _printed_words(line.words)]
    lost = [
        UNREADABLE_CHARACTER.search(text := "".join(line.words[k].text for k in word)) is not None
        or (unsound.issuperset(line.words[k].font for k in word) and any(map(str.isalnum, text)))
        for word in words
    ]
    for is_lost, group in groupby(range(len(words)), key=lambda number: lost[number]):
        numbers = list(group)
        run = range(words[numbers[0]].start, words[numbers[-1]].stop)
        if (
            is_lost
            and sum(len(line.words[k].text) for k in run) >= MIN_WORD_CHARACTERS
            and page.layer.ink_in(_around(line, run))
        ):
            yield run


def _printed_words(words: Sequence[Word]) -> Iterator[list[int]]:
    """The parts of each word between spaces, by their numbers."""
    begins = [k for k, word in enumerate(words) if not k or word.spaced]
    yield from (list(range(a, b)) for a, b in pairwise([*begins, len(words)]))


def _around(line: TextLine, run: range) -> BoundingBox:
    return BoundingBox.around([line.words[k].box for k in run])


def _crop(line: TextLine, run: range) -> BoundingBox:
    """The place of a run of words with a margin that ends half way to the words beside it."""
    box, most = _around(line, run), MAX_MARGIN * line.font_size
    before = [word.box.x1 for word in line.words[: run.start]]
    after = [word.box.x0 for word in line.words[run.stop :]]
    left = min(most, max(0.0, box.x0 - before[-1]) / 2) if before else most
    right = min(most, max(0.0, after[0] - box.x1) / 2) if after else most
    return BoundingBox(x0=box.x0 - left, y0=box.y0 - most / 2, x1=box.x1 + right, y1=box.y1 + most / 2)


def _replaced(line: TextLine, box: BoundingBox, text: str) -> TextLine:
    """The line with other words in this place, each as wide as its share of the characters."""
    inside = [k for k, word in enumerate(line.words) if box.contains(*word.box.center)]
    if not inside:
        return line
    first = line.words[inside[0]]
    parts = text.split(" ")
    ends = [0, *accumulate(len(part) + 1 for part in parts)]
    step = box.width / (len(text) + 1)
    read = [
        first.model_copy(
            update={
                "text": part,
                "box": BoundingBox(x0=box.x0 + a * step, y0=box.y0, x1=box.x0 + b * step, y1=box.y1),
                "rise": None,
                "spaced": number > 0 or first.spaced,
            }
        )
        for number, (part, (a, b)) in enumerate(zip(parts, pairwise(ends), strict=True))
    ]
    words = (*line.words[: inside[0]], *read, *line.words[inside[-1] + 1 :])
    whole = set_words(words)
    bad_share = len(UNREADABLE_CHARACTER.findall(whole)) / max(1, len(whole))
    return line.model_copy(update={"text": whole, "words": words, "bad_share": round(bad_share, 3)})


def _changed(lines: Sequence[TextLine], changed: Mapping[tuple[str, BoundingBox], TextLine]) -> tuple[TextLine, ...]:
    return tuple(changed.get((line.text, line.box), line) for line in lines)


def _num_left_out(regions: Sequence[RegionDraft], words: Sequence[RegionDraft]) -> int:
    """How many runs of words with characters that have no meaning are beyond those that OCR was to read."""
    if len(words) < MAX_WORDS:
        return 0
    index = PageIndex(draft.box for draft in words)
    lines = (line for draft in regions if _has_sound_words(draft) for line in draft.lines if line.bad_share > 0)
    return sum(not index.holding(*box.center) for line in lines if line.angle % 180 == 0 for box in _lost_places(line))


def _has_sound_words(draft: RegionDraft) -> bool:
    return draft.text_source == "text_layer" and draft.kind not in NO_WORDS


def _lost_places(line: TextLine) -> Iterator[BoundingBox]:
    words = [range(group[0], group[-1] + 1) for group in _printed_words(line.words)]
    texts = ["".join(line.words[k].text for k in word) for word in words]
    for is_lost, group in groupby(
        range(len(words)), key=lambda number: UNREADABLE_CHARACTER.search(texts[number]) is not None
    ):
        numbers = list(group)
        if is_lost and sum(len(texts[number]) for number in numbers) >= MIN_WORD_CHARACTERS:
            yield _around(line, range(words[numbers[0]].start, words[numbers[-1]].stop))


def _warnings(number: int, read: Sequence[RegionDraft], num_left_out: int) -> Iterator[PageWarning]:
    if read:
        box = BoundingBox.around([draft.box for draft in read])
        message = f"words in {len(read)} places were read by OCR: the file does not say their letters"
        if num_left_out:
            message += f"; those in {num_left_out} more places were not read"
        yield PageWarning(code="words_read_again", message=message, page=number, box=box)
