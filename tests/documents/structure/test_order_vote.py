"""The order in which a network reads counts where it is one of the page; what that is worth is measured here."""

from __future__ import annotations

import random
from itertools import combinations
from statistics import fmean

import pytest
from page_making import box, detection_of, inspection, line

from documents.structure.build_page import RuleRun, compose_page, draft_regions
from documents.structure.order_vote import NetworkOrder
from documents.values import Detection

PROSE = "The harbour master signs the ledger every morning before the fog lifts and the ferry leaves."


def composed(lines, detections, skipped=()):
    """The text of each region as it is read."""
    page_inspection, run = inspection(*lines), RuleRun(skipped=skipped)
    page = compose_page(page_inspection, draft_regions(page_inspection, detections, run=run), {}, {}, run=run)
    assert not run.failures
    return [region.text for region in page.regions]


def paragraph(name, x, y, width, rows=4):
    """Lines of a paragraph that begins with its name, and the box around them."""
    lines = [line(f"{name} {PROSE}" if not k else PROSE, x=x, y=y + 12 * k, width=width) for k in range(rows)]
    return lines, box(x, y, x + width, y + 12 * rows)


def columns(draw):
    """Two columns of paragraphs, each read down: what our own order gets right."""
    return [(x, 80 + 70 * k, 230) for x in (60, 320) for k in range(draw.randint(2, 6))]


def cards(draw):
    """Short texts in rows and columns, read along each row, which no gap between them shows."""
    return [(x, 80 + 75 * k, 230) for k in range(draw.randint(2, 5)) for x in (60, 320)]


def articles(draw):
    """One article in two columns below another in two: the gutter runs through both."""
    first, second = draw.randint(1, 3), draw.randint(2, 4)
    above = [(x, 80 + 66 * k, 230) for x in (60, 320) for k in range(first)]
    top = 80 + 66 * first + 10
    return above + [(x, top + 66 * k, 230) for x in (60, 320) for k in range(second)]


def drawn(layout, seed):
    """Lines, boxes and names of a page, in their true order."""
    draw = random.Random(seed)
    places = layout(draw)
    names = [f"Paragraph{k:02d}" for k in range(len(places))]
    made = [paragraph(name, x, y, width) for name, (x, y, width) in zip(names, places, strict=True)]
    return [line for lines, _ in made for line in lines], [around for _, around in made], names


def read(layout, seed, network):
    """Which share of pairs is read in their true order, and whether the page differs from what it is without a vote."""
    lines, boxes, names = drawn(layout, seed)
    order = network(len(boxes), random.Random(1000 + seed))
    detections = [
        Detection(kind="plain text", box=box, score=0.9, order=place) for box, place in zip(boxes, order, strict=True)
    ]
    random.Random(seed).shuffle(detections)
    texts, ours = composed(lines, detections), composed(lines, detections, skipped=("network_order",))
    assert sorted(texts) == sorted(ours), "no word is lost"
    found_names = [name for text in texts for name in names if name in text]
    assert sorted(found_names) == names
    pairs = list(combinations(found_names, 2))
    return sum(a < b for a, b in pairs) / len(pairs), texts != ours


def perfect(count, _):
    return list(range(count))


def near(count, draw):
    """Every tenth pair of neighbours swapped."""
    order = list(range(count))
    for k in range(count - 1):
        if draw.random() < 0.1:
            order[k], order[k + 1] = order[k + 1], order[k]
    return order


def at_random(count, draw):
    return draw.sample(range(count), count)


def silent(count, _):
    return [None] * count


SEEDS = range(12)


def share(layout, network):
    results = [read(layout, seed, network) for seed in SEEDS]
    return fmean(right for right, _ in results), sum(changed for _, changed in results)


@pytest.mark.parametrize(
    ("layout", "alone", "with_perfect", "with_near"),
    [(columns, 1.0, 1.0, 0.98), (cards, 0.82, 1.0, 0.96), (articles, 0.88, 1.0, 0.97)],
)
def test_a_network_that_reads_well_mends_what_no_gap_shows(layout, alone, with_perfect, with_near):
    """Guards against a vote that costs what is right already, or gains nothing where a page's gaps mislead."""
    ours, _ = share(layout, silent)
    order_share, _ = share(layout, perfect)
    nearly, _ = share(layout, near)
    assert ours <= alone
    assert order_share == pytest.approx(with_perfect)
    assert nearly >= with_near


@pytest.mark.parametrize("layout", [columns, cards, articles])
def test_a_network_that_reads_at_random_changes_nearly_no_page(layout):
    """Guards against nonsense that counts because it is an order."""
    ours, _ = share(layout, silent)
    right, num_changed = share(layout, at_random)
    assert num_changed <= 1
    assert right >= ours - 0.02


def torn_page(order):
    """Two columns; a sentence goes on from the foot of the first to the head of the second."""
    places = [(60, 80), (60, 150), (320, 80), (320, 150)]
    starts = ["First", "Second", "and so the", "Third"]
    ends = [".", "which is why the ferry", ".", "."]
    lines, detections = [], []
    for (x, y), start, end, place in zip(places, starts, ends, order, strict=True):
        own, around = paragraph(start, x, y, 230)
        lines += [*own[:-1], line(f"{PROSE[:-1]} {end}", x=x, y=y + 36, width=230)]
        detections.append(Detection(kind="plain text", box=around, score=0.9, order=place))
    return lines, detections


def test_sentences_have_the_last_word():
    """Guards against an order that tears a sentence which ours leaves whole."""
    lines, detections = torn_page([0, 2, 1, 3])  # along the rows
    assert composed(lines, detections) == composed(lines, detections, skipped=("network_order",))


def test_an_order_of_a_few_regions_or_from_the_foot_up_does_not_count():
    """Guards against a network that found one half of a page and orders the whole by it."""
    lines, boxes, _ = drawn(cards, 3)
    few = [detection_of("plain text", *box.model_dump().values()) for box in boxes]
    few[:3] = [detection.model_copy(update={"order": 9 - k}) for k, detection in enumerate(few[:3])]
    assert composed(lines, few) == composed(lines, few, skipped=("network_order",))
    upward = [detection.model_copy(update={"order": -k}) for k, detection in enumerate(few)]
    assert composed(lines, upward) == composed(lines, upward, skipped=("network_order",))


def test_a_caption_stays_with_what_it_describes():
    """Guards against a caption that goes where the network reads captions: after all text, say."""
    lines = [
        *paragraph("Above", 60, 60, 480)[0],
        line("Figure 1: The harbour at dawn.", x=60, y=300, width=150),
        *paragraph("Below", 60, 340, 480)[0],
        *paragraph("Last", 60, 410, 480)[0],
    ]
    kinds_and_corners = [
        ("plain text", 60, 60, 540, 108),
        ("figure", 60, 140, 540, 290),
        ("figure_caption", 58, 298, 212, 312),
    ]
    kinds_and_corners += [("plain text", 60, 340, 540, 388), ("plain text", 60, 410, 540, 458)]
    detections = [
        detection_of(kind, *corners).model_copy(update={"order": order})
        for (kind, *corners), order in zip(kinds_and_corners, (0, 1, 4, 2, 3), strict=True)
    ]
    texts = composed(lines, detections)
    assert [text.split()[0] for text in texts if text] == ["Above", "Figure", "Below", "Last"]


def test_a_region_has_the_place_of_the_detection_that_is_most_like_it():
    """Guards against the place of a frame around a region, and one from a neighbour that touches it."""
    frame, inner, beside = (box(0, 0, 400, 400), box(10, 10, 200, 60), box(200, 10, 390, 60))
    order = NetworkOrder(
        [
            Detection(kind="plain text", box=around, score=0.9, order=k)
            for k, around in enumerate((frame, inner, beside))
        ]
    )
    assert order.place(box(12, 12, 198, 58)) == 1
    assert order.place(box(20, 200, 380, 380)) == 0
    assert order.place(box(410, 0, 600, 50)) is None
    assert NetworkOrder([]).place(frame) is None
