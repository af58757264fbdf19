"""The Typst source of one document while it is written: every text that goes in has a block and a colour."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from documents.segments.roles import Role
from training.structure.drawings.drawn_document import Colours, DrawnBlock
from training.structure.drawings.tables.cells import cells_by_columns, typst_cell
from training.structure.drawings.texts import Texts
from training.structure.drawings.typst.style import BLACK, WHITE, Style, choose_style
from training.structure.drawings.typst.vocabulary import BULLETS
from training.structure.drawings.typst.writer import Writer

BOLD = 'weight:"bold"'
ITALIC = 'style:"italic"'
LINES = ("table.hline", "table.vline")
PRELUDE = """#set document(date:none)
#let t(c,s,..a)=text(fill:rgb(c),..a,s)
#let flat(body)={set par(justify:false,first-line-indent:0pt,hanging-indent:0pt);set text(hyphenate:false);body}
#show footnote.entry:it=>it.note.body
"""


@dataclass(slots=True)
class Manuscript:
    """Blocks are numbered in the order in which they are written, which is the order of reading."""

    chance: random.Random
    writer: Writer
    style: Style
    colours: Colours = field(default_factory=Colours)
    blocks: dict[int, DrawnBlock] = field(default_factory=dict[int, DrawnBlock])
    counts: Counter[str] = field(default_factory=Counter[str])
    parts: list[str] = field(default_factory=list[str])
    width: float = 595.0  # of a column, in points
    has_notes: bool = False
    is_dark: bool = False  # the paper; black letters become white
    _floats: bool = False

    def ink(self, role: Role, colour: int = BLACK, level: int | None = None, *, floats: bool = False) -> str:
        """A new block; how its colour is written."""
        code = self.colours.take(WHITE if self.is_dark and colour == BLACK else colour)
        self.blocks[code] = DrawnBlock(role, float(len(self.blocks)), floats or self._floats, level)
        return f'"#{code:06x}"'

    def say(self, role: Role, text: str, *looks: str, colour: int = BLACK, level: int | None = None) -> str:
        """Text that is a block of its own."""
        return inked(self.ink(role, colour, level), text, *looks)

    @contextmanager
    def floating(self) -> Iterator[None]:
        """What is written meanwhile is moved by the typesetter."""
        before = self._floats
        self._floats = True
        try:
            yield
        finally:
            self._floats = before

    def cells(self, sources: Sequence[str], num_columns: int, num_heads: int = 0) -> list[str]:
        """The cells of a new table; their blocks learn where they stand. The first `num_heads` rows are heads."""
        self.counts["cells"] += 1
        cells = [typst_cell(source) for source in sources if not source.startswith(LINES)]
        for ink, cell in cells_by_columns(self.counts["cells"], cells, num_columns).items():
            if ink in self.blocks:
                self.blocks[ink] = replace(self.blocks[ink], cell=replace(cell, is_header=cell.row < num_heads))
        return list(sources)

    def add(self, source: str) -> None:
        self.parts.append(source + "\n\n")

    def some(self, *makers: tuple[float, Callable[[], str]]) -> str:
        """What one of the makers gives, by their weights."""
        maker = self.chance.choices([make for _, make in makers], [weight for weight, _ in makers])[0]
        return maker()

    def either(self, *options: str) -> str:
        return self.chance.choice(options)

    def likely(self, probability: float) -> bool:
        return self.chance.random() < probability

    def between(self, low: float, high: float) -> float:
        """A length that Typst reads well."""
        return round(self.chance.uniform(low, high), 2)

    def source(self) -> str:
        return "".join(self.parts)


def new_manuscript(seed: int, texts: Texts) -> Manuscript:
    chance = random.Random(seed)
    writer = Writer(chance, texts)
    manuscript = Manuscript(chance, writer, choose_style(chance, writer.language.script, BULLETS))
    manuscript.colours.take(BLACK)  # black itself is nobody's: what shows it was not written by `say`
    return manuscript


def quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'


def inked(ink: str, text: str, *looks: str) -> str:
    """Text in the colour of a block that there is already; of two looks of a kind the later counts."""
    arguments = {look.split(":")[0]: look for look in looks if look}
    return f"#t({','.join((ink, quoted(text), *arguments.values()))});"


def size(em: float) -> str:
    return f"size:{em:.2f}em"


def face(font: str) -> str:
    return f"font:({quoted(font)},)" if font else ""


def shade(colour: int) -> str:
    return f'rgb("#{colour:06x}")'


def indented(m: Manuscript, em: float, content: str) -> str:
    side = "right" if m.writer.is_right_to_left else "left"
    return f"#pad({side}:{em}em)[{content}]"


def boxed(content: str, *arguments: str) -> str:
    return f"#block({','.join(('width:100%', *(part for part in arguments if part)))})[{content}]"


def aligned(side: str, content: str) -> str:
    return f"#align({side})[{content}]"
