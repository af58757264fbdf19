"""Parts the words of a line where its gaps do: letters set apart are one word, words set close together are several.

MuPDF puts a space into every gap wider than a fixed share of the type's size, whatever gaps the line's letters have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import inf
from statistics import median, pstdev
from typing import Any

from documents.text.languages import COMMON_PAIRS

SPACE_WIDTH = 0.25  # width of the space of most fonts, in type sizes
# minimum excess of a gap between words over the line's gaps between letters, in type sizes
MIN_WORD_GAP_EXCESS = SPACE_WIDTH / 2
# the same where words stand close together: no kerning of two letters is as wide
MIN_TIGHT_GAP_EXCESS = SPACE_WIDTH / 3
MAX_KERNING = SPACE_WIDTH / 6  # nearly all gaps between letters differ by less, in type sizes
# maximum difference of gaps between letters that MuPDF returns as separate lines, in type sizes
MAX_GAP_DIFFERENCE = 0.02
MAX_ROUNDING = 0.05  # points
MIN_LETTERS = 4  # set apart, of one line
MIN_WIDE = 5  # letters set so far apart that each is a line
MAX_LETTER_GAP = 2.0  # maximum gap between two letters of a spaced word, in type sizes
MIN_PAIR_SHARE = 0.35  # minimum share of frequent letter pairs in a word that is typed with spaces; sound text has it
LETTERS_APART = re.compile(rf"(?<!\S)[^\W_](?: +[^\W_](?!\S)){{{MIN_LETTERS - 1},}}")
SINGLE_LETTERS = re.compile(r"[^\W\d_](?: +[^\W\d_])*")
LONG_WORD = re.compile(r"[^\W_]{16,}")  # longer than most words

_Line = dict[str, Any]  # as MuPDF's rawdict has it
_Char = dict[str, Any]


def with_measured_words(lines: list[_Line]) -> list[_Line]:
    """The lines, with spaces between their words alone."""
    whole = list(_whole_lines(lines))
    for line in whole:
        text = _text(line)
        if LETTERS_APART.search(text):
            _join_letters(line, text)
        if LONG_WORD.search(text):
            _part_words(line)
    return whole


def _whole_lines(lines: Sequence[_Line]) -> Iterator[_Line]:
    """The lines; words of one line whose letters stand apart are one, however wide the gaps between them."""
    run: list[_Line] = []
    for line in lines:
        is_apart = _is_apart(line)
        if run and not (is_apart and _goes_on(run[-1], line)):
            yield from _joined(run)
            run = []
        if is_apart:
            run.append(line)
        else:
            yield line
    yield from _joined(run)


def _is_apart(line: _Line) -> bool:
    """Whether a line is a letter of a script with capitals, a space, or letters that all stand apart, in one type."""
    if len(line["spans"]) != 1 or (len(chars := line["spans"][0]["chars"]) > 1 and not chars[1]["c"].isspace()):
        return False  # so are most: nothing has to be put together
    text = _text(line)
    return text.isspace() or (text.upper() != text.lower() and SINGLE_LETTERS.fullmatch(text) is not None)


def _goes_on(line: _Line, following: _Line) -> bool:
    """Whether a line stands behind another in type of its kind."""
    one, other = line["spans"][0], following["spans"][0]
    if (one["font"], one["size"], line["dir"]) != (other["font"], other["size"], following["dir"]):
        return False
    gap, rise = _gap(one["chars"][-1], other["chars"][0], line["dir"])
    return 0 <= gap <= MAX_LETTER_GAP * one["size"] and abs(rise) <= MAX_GAP_DIFFERENCE * one["size"]


def _joined(run: Sequence[_Line]) -> Iterator[_Line]:
    """Lines that go on from one another as one; of single letters only where all gaps are alike: columns' are not."""
    if len(run) < 2:
        yield from run
        return
    size, along = run[0]["spans"][0]["size"], run[0]["dir"]
    words = [line["spans"][0]["chars"] for line in run]
    if max(map(len, words)) == 1:
        chars = [char for word in words for char in word]
        gaps = [_gap(a, b, along)[0] for a, b in pairwise(chars) if not (a["c"] + b["c"]).isspace()]
        num_letters = sum(char["c"].isalpha() for char in chars)
        is_one = num_letters >= MIN_WIDE and max(gaps) - min(gaps) <= MAX_GAP_DIFFERENCE * size
    else:
        is_one = max(map(len, words)) >= 2 * MIN_LETTERS - 1
        chars = [part for word in words for part in (*word, _space_behind(word[-1]))][:-1]
    if not is_one:
        yield from run
        return
    span = {**run[0]["spans"][0], "chars": chars, "bbox": _around([line["bbox"] for line in run])}
    yield {**run[0], "spans": [span], "bbox": span["bbox"]}


def _join_letters(line: _Line, text: str) -> None:
    """Take the spaces out from between letters that are set apart."""
    places = [(span, char) for span in line["spans"] for char in span["chars"]]
    left_out: set[int] = set()
    for match in LETTERS_APART.finditer(text):
        run = places[match.start() : match.end()]
        letters = [k for k, (_, char) in enumerate(run) if not char["c"].isspace()]
        if sum(run[k][1]["c"].isalpha() for k in letters) < max(MIN_LETTERS, len(letters) / 2):
            continue
        gaps = [_gap(run[a][1], run[b][1], line["dir"])[0] for a, b in pairwise(letters)]
        usual, size = median(gaps), run[0][0]["size"]
        near = [k for k, gap in enumerate(gaps) if gap <= usual + MIN_WORD_GAP_EXCESS * size]
        if _are_columns([(run[letters[k]][1], run[letters[k + 1]][1]) for k in near], line["dir"]):
            continue
        typed = [k for k, (_, char) in enumerate(run) if char["c"].isspace() and not char.get("synthetic")]
        is_typed = len(typed) > len(letters) / 2
        if is_typed and max(gaps) <= usual + MIN_WORD_GAP_EXCESS * size and not _is_word(match[0]):
            continue
        if is_typed and min(_gaps_at_ends(places, match.span(), line["dir"])) <= usual + MIN_WORD_GAP_EXCESS * size:
            continue
        for (a, b), gap in zip(pairwise(letters), gaps, strict=True):
            between = range(a + 1, b)
            if gap <= usual + MIN_WORD_GAP_EXCESS * size and (is_typed or not set(between) & set(typed)):
                left_out.update(id(run[k][1]) for k in between)
    for span in line["spans"] if left_out else ():
        span["chars"] = [char for char in span["chars"] if id(char) not in left_out]


def _gaps_at_ends(
    places: Sequence[tuple[dict[str, Any], _Char]], run: tuple[int, int], along: tuple[float, float]
) -> tuple[float, float]:
    """How far the words before and behind a run of letters stand from it; infinite at the ends of the line."""
    begin, end = run
    before, behind = begin - 1, end
    while before >= 0 and places[before][1]["c"].isspace():
        before -= 1
    while behind < len(places) and places[behind][1]["c"].isspace():
        behind += 1
    return (
        _gap(places[before][1], places[begin][1], along)[0] if before >= 0 else inf,
        _gap(places[end - 1][1], places[behind][1], along)[0] if behind < len(places) else inf,
    )


def _are_columns(pairs: Sequence[tuple[_Char, _Char]], along: tuple[float, float]) -> bool:
    """Whether the middles of letters are more evenly apart than their edges."""
    gaps = [_gap(a, b, along)[0] for a, b in pairs]
    widths = [-_gap(char, char, along)[0] for pair in pairs for char in pair]
    steps = [gap + (a + b) / 2 for gap, a, b in zip(gaps, widths[::2], widths[1::2], strict=True)]
    return pstdev(steps) < pstdev(gaps) - MAX_ROUNDING


def _is_word(text: str) -> bool:
    """Whether letters that are typed with spaces read as a word, not as a list of letters."""
    word = text.replace(" ", "").lower()
    pairs = [a + b for a, b in pairwise(word)]
    return len(word) >= MIN_WIDE and sum(pair in COMMON_PAIRS for pair in pairs) >= MIN_PAIR_SHARE * len(pairs)


def _part_words(line: _Line) -> None:
    """Put spaces into the widest gaps of long words, in spans where no typed space parts words."""
    for span in line["spans"]:
        chars: list[_Char] = span["chars"]
        if any(char["c"].isspace() and not char.get("synthetic") for char in chars):
            continue
        ends: set[int] = set()
        for match in LONG_WORD.finditer("".join([char["c"] for char in chars])):
            ends |= {match.start() + k for k in _ends(chars[match.start() : match.end()], span["size"], line["dir"])}
        if ends:
            span["chars"] = [part for k, char in enumerate(chars) for part in _with_space(char, is_end=k in ends)]


def _ends(chars: Sequence[_Char], size: float, along: tuple[float, float]) -> set[int]:
    """The last characters of the words that wide gaps part; none where the other gaps differ by more than kerning."""
    gaps = [_gap(a, b, along)[0] for a, b in pairwise(chars)]
    usual = median(gaps)
    wide = {k for k, gap in enumerate(gaps) if gap - usual > MIN_TIGHT_GAP_EXCESS * size}
    num_kerned = sum(abs(gap - usual) <= MAX_KERNING * size for gap in gaps)
    num_single = sum(k - 1 in wide for k in wide)
    return wide if num_kerned + len(wide) == len(gaps) and 2 * num_single <= len(wide) else set()


def _with_space(char: _Char, *, is_end: bool) -> tuple[_Char, ...]:
    return (char, _space_behind(char)) if is_end else (char,)


def _space_behind(char: _Char) -> _Char:
    return {"c": " ", "origin": char["origin"], "bbox": char["bbox"], "synthetic": True}


def _gap(char: _Char, following: _Char, along: tuple[float, float]) -> tuple[float, float]:
    """From the end of a character to the beginning of the next along the line, and how far that is off the baseline."""
    x, y = along
    ends = [char["bbox"][k] * x + char["bbox"][k + 1] * y for k in (0, 2)]
    begins = [following["bbox"][k] * x + following["bbox"][k + 1] * y for k in (0, 2)]
    (x0, y0), (x1, y1) = char["origin"], following["origin"]
    return min(begins) - max(ends), (y1 - y0) * x - (x1 - x0) * y


def _text(line: _Line) -> str:
    return "".join([char["c"] for span in line["spans"] for char in span["chars"]])


def _around(boxes: Sequence[Sequence[float]]) -> tuple[float, float, float, float]:
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)
