"""`documents.regions.reclassify`: what OCR read, as lines of the page."""

from page_making import box, drafts_after_reading, inspection

from documents.page.build_page import draft_regions
from documents.regions.reclassify import read_lines
from documents.values import Detection, Reading, ReadLine


def drafted(kind, corners):
    whole = inspection(ink=[box(*corners)], images=[box(0, 0, 612, 792)])
    return whole, draft_regions(whole, [Detection(kind=kind, box=box(*corners), score=0.5)])


def reading(text, corners, words=()):
    return Reading(text=text, lines=(ReadLine(text=text, box=box(*corners), words=words, confidence=0.9),))


def test_words_stand_where_they_were_printed() -> None:
    """Guards against words in pixels of the crop, or of the whole line."""
    _, (draft,) = drafted("plain text", (60, 300, 260, 312))
    crop = draft.crop_box
    words = (box(0, 0, 40, 20), box(60, 0, 100, 20))
    (line,) = read_lines(draft, reading("two words", (0, 0, 100, 20), words), (200, 20))
    assert [word.text for word in line.words] == ["two", "words"]
    assert line.words[1].box.x0 == crop.x0 + 0.3 * crop.width
    assert line.box.x1 == crop.x0 + 0.5 * crop.width


def test_what_was_not_read_stays_as_it_is() -> None:
    """Guards against regions of the text layer that are judged twice."""
    whole, drafts = drafted("plain text", (60, 300, 260, 312))
    assert drafts_after_reading(whole, drafts, {}, {}) == drafts
