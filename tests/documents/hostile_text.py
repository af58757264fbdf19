"""Documents whose every text is hostile: pieces of HTML, Markdown, addresses and LaTeX, put together at random."""

from __future__ import annotations

from hypothesis import strategies as st

from documents.boxes import BoundingBox
from documents.region_values import InlineFormula, Link, ListItem, Region, Span, Table, TableCell, TextRange, region_of
from documents.values import Document, OutlineItem, Page

EVIL = "evil.com"
PLACE = BoundingBox(x0=60, y0=60, x1=500, y1=80)
TAGS = (
    "<script>alert(1)</script>", f"<script src=//{EVIL}/c.js>", "<img src=x onerror=alert(1)>", "</p>", "</td></table>",
    "</code></pre>", "</title>", "<a href=//a.bb>", f"<https://{EVIL}>", "<!--", "-->", "<?php", "<![CDATA[", "<", ">",
    "&lt;b&gt;", "&#60;", "&", '"', "'",
)  # fmt: skip
MARKDOWN = (
    f"[x](https://{EVIL})", f"![x](//{EVIL}/p.png)", f"[x]: https://{EVIL}", "[x]", "[^1]", "[^1]: note", "](", "![",
    "[[x]]", "!", "[", "]", "(", ")", "`", "```", "~~~", "~", "\\", "*", "**", "_", "__", "|", "{", "{: onclick=x}",
    "$", "$$", "# ", "#", "- ", "-", "+ ", "1. ", "1)", "2) ", "=", "===", "---", ":-", ":-:", "> ", "- [ ] ", "    ",
)  # fmt: skip
ADDRESSES = (
    f"https://{EVIL}/x_y", f"HTTP://{EVIL}", "ftp://a.bb", f"www.{EVIL}", "www.", "://", "//a.bb", f"//{EVIL}", "@",
    f"mail@{EVIL}", f"mailto:m@{EVIL}", f"xmpp:m@{EVIL}/q", EVIL, "localhost", "javascript:alert(1)",
)  # fmt: skip
LATEX = (
    r"\href{javascript:alert(1)}{x}", r"\url{x}", r"\[", r"\]", r"\lt", r"\frac{a}{b}", "x_{1}", ")_{2}", "^{3}",
    r"\&lt;", r"\$", r"a & b", "{{", r"\\",
)  # fmt: skip
LINE_ENDS = ("\n", "\n\n", "\r", "\r\n", "\r\r", "\t", "\x0b", "\x0c", "\x85", "\u2028", " ")
WORDS = ("harbour", "boat", "x", "1", "é", "中文", "\u202e", " ", " ", ".", ":")
PIECES = (*TAGS, *MARKDOWN, *ADDRESSES, *LATEX, *LINE_ENDS, *WORDS)

texts = st.one_of(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=7).map("".join),
    st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=30),
)
SET_ADDRESS = "https://set.example/"
addresses = st.one_of(
    texts.map(lambda text: SET_ADDRESS + text),
    st.sampled_from(["javascript:alert(1)", "data:text/html,x", "//a.bb", "mailto:us@set.example", "file:///etc/x"]),
)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    rows, columns = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    cells = [TableCell(row=r, column=c, text=draw(texts), box=PLACE) for r in range(rows) for c in range(columns)]
    if columns > 1 and draw(st.booleans()):
        cells[:2] = [cells[0].model_copy(update={"num_columns": 2})]
    return Table(num_rows=rows, num_columns=columns, num_header_rows=draw(st.integers(0, rows)), cells=tuple(cells))


@st.composite
def items_of(draw: st.DrawFn, text: str) -> tuple[ListItem, ...]:
    """Items for some of the lines of a text, their marks mostly what the lines begin with."""
    items = []
    for number, line in enumerate(text.split("\n")):
        if line.strip() and draw(st.booleans()):
            marker = draw(st.sampled_from([line.split()[0], "•", "1.", "a)", "12)"]))
            items.append(ListItem(line=number, marker=marker, level=draw(st.integers(1, 3)), box=PLACE))
    return tuple(items)


@st.composite
def ranges_of(draw: st.DrawFn, text: str) -> tuple[TextRange, ...]:
    """Parts of a text that are struck out."""
    ends = sorted(draw(st.lists(st.integers(0, len(text)), max_size=4, unique=True)))
    return tuple(TextRange(start=start, end=end) for start, end in zip(ends[::2], ends[1::2], strict=False))


@st.composite
def regions(draw: st.DrawFn) -> Region:
    kind = draw(st.sampled_from([
        "title", "plain text", "plain text", "figure", "figure_caption", "table", "table_caption", "table_footnote",
        "isolate_formula", "formula_caption", "abandon",
    ]))  # fmt: skip
    text = draw(texts)
    more = {"links": tuple(Link(text=draw(st.sampled_from([text, *text.split()])), uri=draw(addresses)) for _ in "ab")}
    more["struck"] = draw(ranges_of(text))
    ranges = draw(ranges_of(text))
    more["formulas"] = tuple(InlineFormula(start=part.start, end=part.end, latex=draw(texts)) for part in ranges)
    if kind == "plain text":
        more |= {"items": draw(items_of(text)), "note": draw(st.sampled_from([None, None, "side", "foot"]))}
        more |= {"code": draw(st.integers(0, 3)) == 0, "continues": draw(st.integers(0, 3)) == 0}
    if kind == "table" and draw(st.booleans()):
        more["table"] = draw(tables())
    if kind in ("isolate_formula", "plain text") and draw(st.booleans()):
        more["latex"] = draw(texts)
    span = Span(text=text, box=PLACE, source="text_layer", font_size=10)
    level = draw(st.sampled_from([None, 1, 6, 9]))
    return region_of(kind=kind, box=PLACE, score=0.9, text=text, spans=(span,), level=level, **more)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    pages = tuple(
        Page(number=number, size=(612, 792), regions=tuple(draw(st.lists(regions(), max_size=4)))) for number in (1, 2)
    )
    return Document(
        id=draw(texts),
        revision=1,
        pages=pages,
        outline=(OutlineItem(level=1, title=draw(texts), page=1),),
        metadata={"title": draw(texts), draw(texts): draw(texts)},
    )
