"""Keys of a bibliography in a column of their own are each read before what they name."""

from __future__ import annotations

from page_making import box, detection_of, inspection, line

from documents.structure.build_page import compose_page, draft_regions
from documents.structure.region_kinds import classify_region

KEYS = ["[A-130]", "[FIPS 199]", "[Roadmap]"]
NAMES = [
    "Managing the harbour as a resource of all",
    "Standards for the categories of ships",
    "A road map, second part",
]


def texts_of(lines, *detections):
    page = inspection(*lines)
    detected = [detection_of("plain text", *corners) for corners in detections]
    regions = compose_page(page, draft_regions(page, detected), {}, {}).regions
    return [region.text for region in regions]


def rows(*, down=0.0):
    """Keys, and names of two lines each, the key `down` points below the first."""
    keys = [line(text, x=60, y=100 + 60 * k + down) for k, text in enumerate(KEYS)]
    names = [line(text, x=160, y=100 + 60 * k) for k, text in enumerate(NAMES)]
    return keys, names, [line("as it was printed in May", x=160, y=112 + 60 * k) for k in range(3)]


def test_keys_that_were_found_as_one_text_and_names_that_were_are_taken_apart():
    """Guards against all keys of a page in one paragraph, and two entries in one."""
    keys, names, more = rows()
    texts = texts_of([*keys, *names, *more], (58, 98, 140, 234), (158, 98, 400, 124), (158, 158, 400, 244))
    assert texts == [
        text for key, name in zip(KEYS, NAMES, strict=True) for text in (key, f"{name} as it was printed in May")
    ]


def test_a_key_in_the_middle_of_its_text_cuts_nothing():
    """Guards against an entry whose first line is read before its key, the rest after it."""
    keys, names, more = rows(down=12.0)
    boxes = [(58, 98 + 60 * k, 400, 124 + 60 * k) for k in range(3)]
    texts = texts_of(
        [*keys, *names, *more],
        *((58, y0 + 12, 140, y1) for _, y0, _, y1 in boxes),
        *((158, y0, x1, y1) for _, y0, x1, y1 in boxes),
    )
    assert texts == [
        text for key, name in zip(KEYS, NAMES, strict=True) for text in (key, f"{name} as it was printed in May")
    ]


def test_a_key_high_on_its_page_is_no_furniture():
    """Guards against an entry without its key, as the network takes a few words so high for a running head."""
    for text, kind in ((KEYS[0], "plain text"), ("A-130", "abandon")):
        row = line(text, x=60, y=40)
        assert classify_region("abandon", row.box, [row], box(0, 0, 612, 792), 10.0) == kind
