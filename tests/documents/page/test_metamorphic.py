"""What must not change what a page says: how it is turned, cropped, scaled, split, or in which order it is drawn."""

from __future__ import annotations

import pymupdf
import pytest
from page_making import detection_of, inspection, printed

from documents.boxes import BoundingBox
from documents.document.assemble_document import assemble
from documents.exports.markdown import markdown
from documents.page.build_page import compose_page, draft_regions
from documents.segments.blocks import SegmentBlock

LEFT = [
    "Call me Ishmael. Some years",
    "ago, never mind how long",
    "precisely, having little or",
    "no money in my purse.",
]
RIGHT = ["It is a way I have of", "driving off the spleen and", "regulating the circulation", "of the blood and body."]
TITLE = "Two Columns on the Sea"


def columns(page, *, swapped=False, shift=0.0, scale=1.0):
    def put(x, y, text, size, font="helv"):
        page.insert_text((shift + scale * x, shift + scale * y), text, fontsize=scale * size, fontname=font)

    parts = [(72, LEFT), (320, RIGHT)]
    for x, lines in reversed(parts) if swapped else parts:
        for k, text in enumerate(lines):
            put(x, 160 + 14 * k, text, 11)
    put(72, 100, TITLE, 20, "hebo")


def ruled(page, **_):
    for k in range(4):
        page.draw_line((72, 100 + 20 * k), (372, 100 + 20 * k))
        page.draw_line((72 + 100 * k, 100), (72 + 100 * k, 160))
    for row in range(3):
        for column in range(3):
            page.insert_text((76 + 100 * column, 114 + 20 * row), f"row {row} column {column}", fontsize=9)


@pytest.fixture
def read(with_pool):
    """The Markdown of a document by its text layer, with no detections: lines and rules alone."""

    def run(source):
        async def use(pool):
            opened = await pool.open(source)
            pages = []
            for number in range(1, opened.num_pages + 1):
                page_inspection = (await pool.inspect(source, number)).inspection()
                drafts = draft_regions(page_inspection, [], text_source="text_layer")
                pages.append(compose_page(page_inspection, drafts, {}, {}))
            return assemble("d", 1, opened, pages)

        return markdown(with_pool(use))

    return run


@pytest.mark.parametrize("draw", [columns, ruled])
@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_a_page_that_its_file_turns_says_the_same(read, pdf_of, draw, rotation):
    """The contents are drawn turned the other way, so that a reader sees the same page."""
    upright = pdf_of(draw, name="upright.pdf")

    def turned(page):
        with pymupdf.open(upright.path) as whole:
            page.show_pdf_page(page.rect, whole, 0, rotate=rotation)

    size = (612, 792) if rotation == 180 else (792, 612)
    assert read(pdf_of(turned, size=size, rotation=rotation)) == read(upright)


def test_columns_drawn_in_the_other_order_say_the_same(read, pdf_of):
    plain = read(pdf_of(columns))
    assert plain.index(LEFT[0]) < plain.index(RIGHT[0])
    assert read(pdf_of(lambda page: columns(page, swapped=True), name="b.pdf")) == plain


@pytest.mark.parametrize(("shift", "scale"), [(30.0, 1.0), (0.0, 0.6), (-20.0, 1.2)])
def test_a_page_that_is_shifted_or_scaled_says_the_same(read, pdf_of, shift, scale):
    other = pdf_of(lambda page: columns(page, shift=shift, scale=scale), name="b.pdf", size=(760, 960))
    assert read(other) == read(pdf_of(columns))


def test_a_cropped_page_says_the_same(read, pdf_of):
    assert read(pdf_of(columns, name="b.pdf", crop=(40, 60, 560, 400))) == read(pdf_of(columns))


def test_a_document_split_in_two_files_says_the_same(read, pdf_of):
    one = read(pdf_of(columns, name="b.pdf"))
    assert read(pdf_of(columns, num_pages=2)) == f"{one}\n{one}"


LETTERS = "abcdefghijklmnopqrstuvwxyz"
HEBREW = str.maketrans(LETTERS + LETTERS.upper(), "אבגדהוזחטיכלמנסעפצקרשתםןףץ" * 2)
ARABIC = str.maketrans(LETTERS + LETTERS.upper(), "ابتثجحخدذرزسشصضطظعغفقكلمنه" * 2)


def block(texts, x, y, size=10.0):
    return [printed(text, x, y + 1.2 * size * k, size) for k, text in enumerate(texts)]


LAYOUTS = {
    "two columns": [block([TITLE], 72, 80, 20), block(LEFT * 3, 72, 160), block(RIGHT * 3, 330, 160)],
    "three columns": [block(texts, x, 160) for x, texts in ((40, LEFT), (230, RIGHT), (420, LEFT[::-1]))],
    "columns below columns": [
        *(block(texts, x, 100) for x, texts in ((72, LEFT), (330, RIGHT))),
        block(["A line that runs over the whole of the page, from its one edge to the other one, here."], 72, 260, 12),
        *(block(texts, x, 320) for x, texts in ((72, RIGHT[::-1]), (330, LEFT[::-1]))),
    ],
    "form": [block([text], x, y) for y in (100, 130, 160) for x, text in ((72, "Name of it:"), (220, "The harbour"))],
}


def composed(blocks, kinds=None):
    """A page, each block being one that the networks found."""
    lines = [one for block in blocks for one in block]
    numbers = iter(range(len(lines)))
    read_blocks = [
        SegmentBlock(
            segments=tuple(next(numbers) for _ in block), role="page_footer" if kind == "abandon" else "text", score=0.9
        )
        for block, kind in zip(blocks, kinds or ("plain text",) * len(blocks), strict=True)
    ]
    boxes = [BoundingBox.around([line.box for line in block]) for block in blocks]
    kinds = kinds or ("plain text",) * len(blocks)
    detections = [detection_of(kind, box.x0, box.y0, box.x1, box.y1) for kind, box in zip(kinds, boxes, strict=True)]
    page = inspection(*lines)
    return compose_page(page, draft_regions(page, detections, text_source="text_layer", blocks=read_blocks), {}, {})


def in_order(blocks):
    """The texts of a page's regions as they are read."""
    return [region.text for region in composed(blocks).regions]


PROSE = "All of the ships that wait for the tide lie in the old harbour, where nobody counts them in the fog today"
PAGES = {
    "a lead in larger type": [block([PROSE] * 3, 40, 100, 12), block([PROSE[:88]] * 20, 60, 200)],
    "a long note at the foot": [block([PROSE[:88]] * 20, 60, 100), block([PROSE] * 2, 60, 715, 8)],
    "a running head": [block([PROSE[:20]], 60, 40), block([PROSE[:88]] * 20, 60, 100)],
    "columns": [block([PROSE[:44]] * 20, 60, 100), block([PROSE[:44]] * 20, 320, 100)],
    "prose in a figure": [block([PROSE[:88]] * 8, 60, 100), block([PROSE[:60]] * 8, 80, 300)],
}
KINDS = {"a long note at the foot": ("plain text", "abandon"), "prose in a figure": ("plain text", "figure")}


def in_chinese(line):
    """A line as long in Han characters, two letters to one, without spaces."""
    count = len(line.text) // 2
    text = "".join(chr(0x4E00 + 37 * k % 5000) for k in range(count))
    word = line.words[0].model_copy(update={"text": text, "box": line.box})
    return line.model_copy(update={"text": text, "words": (word,)})


@pytest.mark.parametrize("name", PAGES)
def test_a_page_in_chinese_has_the_kinds_of_the_same_page_in_english(name):
    """Guards against lines of forty characters that count as one word, and so as a title, a head or a label."""
    pages = [PAGES[name], [[in_chinese(line) for line in block] for block in PAGES[name]]]
    english, chinese = ([region.kind for region in composed(page, KINDS.get(name)).regions] for page in pages)
    assert chinese == english
    assert english != ["abandon"] * len(english)


def mirrored(line, letters):
    words = tuple(
        word.model_copy(update={"box": word.box.mirrored(306), "text": word.text.translate(letters)})
        for word in line.words
    )
    text = line.text.translate(letters)
    return line.model_copy(update={"box": line.box.mirrored(306), "text": text, "words": words})


@pytest.mark.parametrize("letters", [HEBREW, ARABIC])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_page_in_a_mirror_with_a_script_that_is_read_from_the_right_is_read_in_the_same_order(layout, letters):
    """Guards against Hebrew and Arabic pages whose left column is read first."""
    blocks = LAYOUTS[layout]
    turned = in_order([[mirrored(line, letters) for line in block] for block in blocks])
    assert turned == [text.translate(letters) for text in in_order(blocks)]


def test_a_page_of_two_scripts_is_read_as_most_of_its_letters_are():
    blocks = LAYOUTS["two columns"]
    turned = [[mirrored(line, HEBREW) for line in block] for block in blocks]
    turned.append(block(["One line of English."], 72, 700))
    assert in_order(turned)[1] == " ".join(LEFT * 3).translate(HEBREW)
