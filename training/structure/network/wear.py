"""Makes of a drawn page what OCR would give of its scan: no type, rough boxes, lines cut and joined, wrong letters."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import numpy as np

from documents.segments.page_tokens import RULE, SEGMENT, PageTokens
from training.structure.network.examples import Example

LETTERS = "abcdefghiklmnoprstuvwxyzAEIOCD0135.,;:-'"
SIDEWAYS = 5  # column of `PageTokens.style`


@dataclass(frozen=True, slots=True)
class Wear:
    """How rough the reading is; lengths in type sizes."""

    shake: float = 0.06  # standard deviation of an edge
    size_error: float = 0.07  # standard deviation of the logarithm of a size
    join: float = 0.9  # probability that two pieces of one row that stand close are one
    close: float = 1.6
    cut: float = 0.04  # probability that a segment is two
    wrong: float = 0.015  # probability that a letter is another one
    keeps_rules: float = 0.6  # probability that a page's rules are seen
    keeps_areas: float = 0.15  # probability that its boxes and pictures are
    false_rules: float = 0.3  # probability that strokes of letters are taken for rules


@dataclass(slots=True)
class _Piece:
    text: str
    box: np.ndarray
    size: float
    sideways: float
    source: int  # index of the segment whose truth it has


def worn(example: Example, seed: int, wear: Wear = Wear()) -> Example:
    """The page as OCR sees it; the same seed gives the same page."""
    chance = random.Random(seed)
    tokens = example.tokens
    pieces = [
        _Piece(text, tokens.box[k].copy(), float(tokens.size[k]), float(tokens.style[k, SIDEWAYS]), k)
        for k, text in enumerate(tokens.texts)
    ]
    pieces = _shaken(_cut(_joined(pieces, example, chance, wear), chance, wear), chance, wear)
    keeps_rules, keeps_areas = chance.random() < wear.keeps_rules, chance.random() < wear.keeps_areas
    is_kept = np.where(tokens.kind == RULE, keeps_rules, keeps_areas) & (tokens.kind != SEGMENT)
    graphics = np.flatnonzero(is_kept)
    false_rules = _false_rules(pieces, chance) if chance.random() < wear.false_rules else []
    source = np.array([piece.source for piece in pieces], np.int64)
    place = example.place[source].astype(np.float32)
    return Example(
        tokens=_tokens(tokens, pieces, graphics, false_rules),
        role=example.role[source],
        block=example.block[source],
        place=place + 0.1 * np.array([_nth(source, k) for k in range(len(source))], np.float32),
        rank=example.rank[source],
        table=example.table[source],
    )


def _nth(source: np.ndarray, index: int) -> int:
    """How many pieces before this one have its source."""
    return int((source[:index] == source[index]).sum())


def _joined(pieces: list[_Piece], example: Example, chance: random.Random, wear: Wear) -> list[_Piece]:
    """Pieces of one row that stand close become one, seldom over two blocks."""
    kept: list[_Piece] = []
    for piece in pieces:
        previous = kept[-1] if kept else None
        if previous is not None and _are_close(previous, piece, wear):
            same = example.block[previous.source] == example.block[piece.source]
            if chance.random() < (wear.join if same else 0.08):
                longer = previous if len(previous.text) >= len(piece.text) else piece
                low, high = np.minimum(previous.box, piece.box), np.maximum(previous.box, piece.box)
                box = np.concatenate([low[:2], high[2:]])
                kept[-1] = _Piece(f"{previous.text} {piece.text}", box, longer.size, piece.sideways, longer.source)
                continue
        kept.append(piece)
    return kept


def _are_close(left: _Piece, right: _Piece, wear: Wear) -> bool:
    if left.sideways or right.sideways:
        return False
    level = min(left.box[3], right.box[3]) - max(left.box[1], right.box[1]) > 0.6 * right.size
    gap = right.box[0] - left.box[2]
    return bool(level and -0.2 * right.size < gap < wear.close * right.size)


def _cut(pieces: list[_Piece], chance: random.Random, wear: Wear) -> list[_Piece]:
    parts: list[_Piece] = []
    for piece in pieces:
        words = piece.text.split(" ")
        if len(words) < 4 or piece.sideways or chance.random() > wear.cut:
            parts.append(piece)
            continue
        at = chance.randint(1, len(words) - 1)
        head, tail = " ".join(words[:at]), " ".join(words[at:])
        x0, y0, x1, y1 = piece.box
        middle = x0 + (x1 - x0) * len(head) / len(piece.text)
        gap = 0.2 * piece.size
        parts.append(replace(piece, text=head, box=np.array([x0, y0, middle, y1])))
        parts.append(replace(piece, text=tail, box=np.array([middle + gap, y0, x1, y1])))
    return parts


def _shaken(pieces: list[_Piece], chance: random.Random, wear: Wear) -> list[_Piece]:
    """Boxes whose edges are not where they were; a box is as high as its type size, which is misread a little."""
    shaken: list[_Piece] = []
    for piece in pieces:
        box = piece.box + np.array([chance.gauss(0, wear.shake) * max(piece.size, 4) for _ in range(4)])
        box[2:] = np.maximum(box[2:], box[:2] + 1)
        size = piece.size * float(np.exp(chance.gauss(0, wear.size_error)))
        if not piece.sideways:
            box[1] = box[3] - size
        text = "".join(
            chance.choice(LETTERS) if sign.isalnum() and chance.random() < wear.wrong else sign for sign in piece.text
        )
        shaken.append(replace(piece, text=text, box=box, size=size))
    return shaken


def _false_rules(pieces: list[_Piece], chance: random.Random) -> list[np.ndarray]:
    """Short level strokes through some lines."""
    rules: list[np.ndarray] = []
    for piece in chance.sample(pieces, min(len(pieces), chance.randint(1, 5))):
        x0, y0, x1, y1 = piece.box.tolist()
        left, middle = chance.uniform(x0, x1), y0 + (y1 - y0) * chance.uniform(0.3, 0.9)
        rules.append(np.array([left, middle, left + chance.uniform(25, 60), middle + 0.5]))
    return rules


def _tokens(
    tokens: PageTokens, pieces: list[_Piece], graphics: np.ndarray, false_rules: list[np.ndarray]
) -> PageTokens:
    num_graphics = len(graphics) + len(false_rules)
    count = len(pieces) + num_graphics
    style = np.zeros((count, tokens.style.shape[1]), np.float32)
    style[: len(pieces), SIDEWAYS] = [piece.sideways for piece in pieces]
    segments = np.array([piece.box for piece in pieces], np.float32).reshape(-1, 4)
    rules = np.array(false_rules, np.float32).reshape(-1, 4)
    kinds = [np.full(len(pieces), SEGMENT), tokens.kind[graphics], np.full(len(rules), RULE)]
    return PageTokens(
        width=tokens.width,
        height=tokens.height,
        texts=tuple(piece.text for piece in pieces),
        kind=np.concatenate(kinds).astype(np.int8),
        box=np.concatenate([segments, tokens.box[graphics], rules]),
        size=np.array([*(piece.size for piece in pieces), *[0.0] * num_graphics], np.float32),
        style=style,
        colour=np.zeros((count, 3), np.float32),
    )
