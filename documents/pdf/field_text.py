"""Sets the values of a form's fields as text in their places, in place of what is drawn there if that says another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from documents.boxes import BoundingBox
from documents.inspection import TextLine, Word
from documents.page_index import PageIndex
from documents.pdf.form_fields import Corner, StoredField, corner
from documents.text.typography import set_words
from documents.values import FormField

TICKED_BOX = "☒"
UNTICKED_BOX = "☐"
MAX_LABEL_GAP = 2.5  # maximum gap between a box to tick and its label, in type sizes
MAX_LABEL_OFFSET = 0.6  # maximum vertical offset between the middles of both, in type sizes
MAX_VALUE_SIZE = 12.0  # maximum type size of a value that nothing shows, in points
LETTER_WIDTH = 0.5  # assumed width of a letter, in type sizes
FIELD_FONT = "form field"  # font name of a value that no font draws
MAX_BOX_CHARACTERS = 2  # maximum length of a printed box to tick
# maximum number of words in lines at the heights of all fields (once per field) and in their values
MAX_WORDS = 200_000
MAX_NEIGHBOURS = 200  # maximum number of lines at the height of a field that are compared with it


def with_field_values(
    lines: Sequence[TextLine], fields: Sequence[StoredField], drawn: Set[Corner]
) -> tuple[TextLine, ...]:
    """The lines with the value of each field in place of what is drawn there, if that says something else.

    `drawn` are the corners of the characters that the fields draw: all other words in their places are the page's own
    and stay. Fields beyond the work that is allowed for a page stay as they are drawn.
    """
    if not fields:
        return tuple(lines)
    current: list[TextLine | None] = list(lines)
    added: list[TextLine] = []
    index = PageIndex(line.box for line in lines)
    num_left = MAX_WORDS
    for stored in fields:
        field = stored.field
        if field.kind == "signature":  # what is drawn there is what a person sees; its value is who signed
            continue
        near = {
            k: line
            for k in index.level_with(field.box.y0, field.box.y1, MAX_NEIGHBOURS)
            if (line := current[k]) is not None and line.hidden is None
        }
        num_left -= len(field.value.split()) + sum(1 + len(line.words) for line in near.values())
        if num_left < 0:
            break
        place = _Place(field, drawn)
        inside = {k: line for k, line in near.items() if place.words_in(line)}
        if not place.ticks and (not field.value.strip() or _says(inside.values(), stored, place)):
            continue
        own = {k: line for k, line in inside.items() if any(map(place.shows, line.words))}
        for k, line in own.items():
            current[k] = _without(line, place)
        if not place.ticks:
            added += _written(field, own.values())
            continue
        near = {k: line for k in near if (line := current[k]) is not None}
        label = _label(near, field.box)
        if label is None:
            added.append(_mark_alone(field))
        else:
            current[label] = _with_mark(near[label], field)
    return (*(line for line in current if line is not None), *added)


class _Place:
    """Where a field stands, and which words of that place show its value."""

    def __init__(self, field: FormField, drawn: Set[Corner]) -> None:
        self.ticks = field.kind in ("check", "radio")
        self._box = field.box
        self._drawn = drawn

    def words_in(self, line: TextLine) -> list[Word]:
        if not line.box.intersection(self._box):
            return []
        return [word for word in line.words if self._box.contains(*word.box.center)]

    def shows(self, word: Word) -> bool:
        """Whether a word is drawn by the field, or is a printed box to tick."""
        if not self._box.contains(*word.box.center):
            return False
        is_sign = len(word.text) <= MAX_BOX_CHARACTERS and not any(map(str.isalnum, word.text))
        if self.ticks and is_sign:
            return True
        x, y = corner(word.box.x0, word.box.y0)
        return any((x + right, y + down) in self._drawn for right in (-1, 0, 1) for down in (-1, 0, 1))


def _says(lines: Iterable[TextLine], stored: StoredField, place: _Place) -> bool:
    """Whether what is drawn in a field is its value, or the form that the file's own program gives it."""
    words = [word for line in lines for word in place.words_in(line)]
    shown = [word for word in words if place.shows(word)]
    value = " ".join(stored.field.value.split())
    return (stored.formatted and bool(shown)) or any(
        " ".join(word.text for word in one) == value for one in (words, shown)
    )


def _without(line: TextLine, place: _Place) -> TextLine | None:
    """A line without the words that show a field's value; None if no word is left."""
    left = tuple(word for word in line.words if not place.shows(word))
    return _of_words(line, left) if left else None


def _of_words(line: TextLine, words: tuple[Word, ...]) -> TextLine:
    box = BoundingBox.around([word.box for word in words])
    return line.model_copy(update={"text": set_words(words).strip(), "words": words, "box": box})


def _with_mark(line: TextLine, field: FormField) -> TextLine:
    """A label with the sign of its box to tick, where that stands."""
    mark = Word(text=_mark(field), box=field.box, font_size=line.font_size)
    middle = mark.box.center[0]
    place = sum(word.box.center[0] < middle and not mark.box.contains(*word.box.center) for word in line.words)
    before, after = line.words[:place], line.words[place:]
    spaced = tuple(word.model_copy(update={"spaced": True}) for word in after[:1])
    return _of_words(line, (*before, mark, *spaced, *after[1:]))


def _mark(field: FormField) -> str:
    return TICKED_BOX if field.state == "on" else UNTICKED_BOX


def _mark_alone(field: FormField) -> TextLine:
    size = min(MAX_VALUE_SIZE, field.box.height)
    mark = Word(text=_mark(field), box=field.box, font_size=size)
    return TextLine(text=mark.text, box=mark.box, font_size=size, words=(mark,), fonts=(FIELD_FONT,))


def _label(lines: Mapping[int, TextLine], box: BoundingBox) -> int | None:
    """The line whose word stands nearest to a box: at its right side, if there is one."""
    best: tuple[bool, float, int] | None = None
    for k, line in lines.items():
        if line.angle or abs(line.box.center[1] - box.center[1]) > MAX_LABEL_OFFSET * line.font_size:
            continue
        for word in line.words:
            gap = max(word.box.x0 - box.x1, box.x0 - word.box.x1)
            if gap <= MAX_LABEL_GAP * line.font_size and word.text not in (TICKED_BOX, UNTICKED_BOX):
                candidate = (word.box.x0 < box.x0, gap, k)
                best = candidate if best is None else min(best, candidate)
    return None if best is None else best[2]


def _written(field: FormField, drawn: Iterable[TextLine]) -> Iterator[TextLine]:
    """The value of a field as printed lines, in the type of what was drawn there."""
    rows = [row for row in field.value.splitlines() if row.strip()]
    box, pitch = field.box, field.box.height / len(rows)
    size = next((line.font_size for line in drawn), min(MAX_VALUE_SIZE, 0.8 * pitch))
    for k, row in enumerate(rows):
        letter = min(LETTER_WIDTH * size, box.width / len(row))
        top = box.y0 + k * pitch + max(0.0, pitch - size) / 2
        words: list[Word] = []
        x = box.x0
        for text in row.split():
            place = BoundingBox(x0=x, y0=top, x1=x + letter * len(text), y1=top + min(size, pitch))
            words.append(Word(text=text, box=place, font_size=size))
            x += letter * (len(text) + 1)
        line = TextLine(text=row, box=box, font_size=size, fonts=(FIELD_FONT,))
        yield _of_words(line, tuple(words))
