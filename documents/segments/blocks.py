"""The blocks that the network's scores mean: every segment is in exactly one, and they stand in reading order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from documents.boxes import Value
from documents.segments.roles import ROLES, Role

MIN_LINK = 0.35  # probability that a segment goes on with another, from which on it may
MIN_LINK_RATIO = 0.9  # minimum probability of a link, as a share of the probability that a block ends there
MIN_CELL = 0.5  # probability, from which on a block is of a table
MAX_SCORE = 6.0  # maximum score of a pair's order
MIN_MOVE_GAIN = 0.2  # minimum gain of a move
MAX_MOVES = 3  # maximum number of moves per block
MAX_PAIRS = 25_000_000  # compared by all moves of a band: about half a second
HEADINGS: tuple[Role, ...] = ("title", "heading")
FURNITURE: tuple[Role, ...] = ("page_header", "page_footer", "page_number", "stamp")


class SegmentBlock(Value):
    """Segments that are one paragraph, heading, item, cell ..., by their index, in their order."""

    segments: tuple[int, ...]
    role: Role
    score: float  # 0..1: probability of the role
    heading: float | None = None  # 0..1: probability that it is a title or heading, whatever its role
    furniture: float | None = None  # 0..1: probability that it is no part of the text, whatever its role
    cell: float = 0.0  # 0..1: probability that it is of a table, whatever its role
    table: int | None = None  # the number of its table, counted from 0 in reading order


@dataclass(frozen=True, slots=True)
class SegmentScores:
    """What the network says of the `n` segments of a page: logits, as `PageScores` has them for one page.

    Attributes:
        role: float32 (n, roles).
        next: float32 (n, n + 1); the last column is the end of a block.
        before: float32 (n, n), antisymmetric.
        table: float32 (n, n), symmetric.
    """

    role: np.ndarray
    next: np.ndarray
    before: np.ndarray
    table: np.ndarray


def blocks_of(scores: SegmentScores, lengths: np.ndarray) -> tuple[SegmentBlock, ...]:
    """The blocks of a page in reading order; `lengths` counts the characters of each segment, for their weight."""
    if not len(lengths):
        return ()
    log_roles = _log_softmax(scores.role)
    chains = _chains(scores.next, np.exp(log_roles))
    weight = np.sqrt(np.maximum(lengths, 1))
    blocks: list[SegmentBlock] = []
    for chain in chains:
        share = weight[chain] / weight[chain].sum()
        probabilities = np.exp(_log_softmax((log_roles[chain] * share[:, None]).sum(0)[None])[0])
        role = int(probabilities.argmax())
        blocks.append(
            SegmentBlock(
                segments=tuple(chain),
                role=ROLES[role],
                score=float(probabilities[role]),
                heading=_sum(probabilities, HEADINGS),
                furniture=_sum(probabilities, FURNITURE),
                cell=_sum(probabilities, ("table",)),
            )
        )
    ordered = [blocks[k] for k in _reading_order(scores.before, chains)]
    tables = _tables(ordered, scores.table)
    return tuple(block.model_copy(update={"table": table}) for block, table in zip(ordered, tables, strict=True))


def _tables(blocks: Sequence[SegmentBlock], same: np.ndarray) -> list[int | None]:
    """The table of each block: in reading order, a cell joins the table with whose cells it scores best in the mean."""
    numbers: list[int | None] = []
    sums = np.zeros((len(blocks), len(same)), np.float32)  # of the scores of all segments with those of each table
    counts = np.zeros(len(blocks))
    num_tables = 0
    for block in blocks:
        if block.cell < MIN_CELL:
            numbers.append(None)
            continue
        own = list(block.segments)
        means = sums[:num_tables, own].mean(1) / counts[:num_tables]
        best = int(means.argmax()) if num_tables else 0
        if not num_tables or means[best] <= 0:
            best = num_tables
            num_tables += 1
        sums[best] += same[own].sum(0)
        counts[best] += len(own)
        numbers.append(best)
    return numbers


def _sum(probabilities: np.ndarray, roles: tuple[Role, ...]) -> float:
    return min(1.0, float(sum(probabilities[ROLES.index(role)] for role in roles)))


def _log_softmax(logits: np.ndarray) -> np.ndarray:
    shifted = logits - logits.max(1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(1, keepdims=True))


def _chains(follows: np.ndarray, roles: np.ndarray) -> list[list[int]]:
    """Segments linked one to the next, the likeliest links first: each has one before and one after, none is a ring.

    A link counts as much as the roles of its ends agree.
    """
    count = len(roles)
    probability = np.exp(_log_softmax(follows))
    agreement = np.sqrt(roles) @ np.sqrt(roles).T
    links = probability[:, :count] * agreement
    fits = (links > MIN_LINK) & (links > MIN_LINK_RATIO * probability[:, count:])
    first, second = np.nonzero(fits)
    best = np.lexsort((second, first, -links[first, second]))
    after: dict[int, int] = {}
    before: dict[int, int] = {}
    head = list(range(count))  # of the chain that a segment ends

    for a, b in zip(first[best].tolist(), second[best].tolist(), strict=True):
        if a in after or b in before or _head(head, a) == b:
            continue
        after[a], before[b] = b, a
        head[b] = a
    chains: list[list[int]] = []
    for start in range(count):
        if start not in before:
            chain = [start]
            while chain[-1] in after:
                chain.append(after[chain[-1]])
            chains.append(chain)
    return chains


def _head(head: list[int], index: int) -> int:
    """The first segment of the chain that this one is in; paths are shortened on the way."""
    while head[index] != index:
        head[index] = head[head[index]]
        index = head[index]
    return index


def _reading_order(before: np.ndarray, chains: list[list[int]]) -> list[int]:
    """Chains by how many others each comes before, in probability; then one after the other moves where it fits best.

    A move is worth what the scores of the pairs that it turns round sum up to.
    """
    members = np.zeros((len(chains), len(before)), np.float32)
    for index, chain in enumerate(chains):
        members[index, chain] = 1 / len(chain)
    first = np.clip(members @ before @ members.T, -MAX_SCORE, MAX_SCORE)
    order = np.argsort(-(1 / (1 + np.exp(-first))).sum(1), kind="stable")
    for _ in range(min(MAX_MOVES * len(order), MAX_PAIRS // len(order) ** 2)):
        start, end = _best_move(first[np.ix_(order, order)])
        if start == end:
            break
        moved = order[start]
        order = np.insert(np.delete(order, start), end, moved)
    return order.tolist()


def _best_move(first: np.ndarray) -> tuple[int, int]:
    """Which place moves where, for the largest gain; the same place twice if none gains."""
    sums = np.pad(np.cumsum(first, 1), ((0, 0), (1, 0)))  # [i, j]: of i before all of the first j
    here = np.diagonal(sums)[:, None]
    gain = np.where(np.tri(len(first), dtype=bool), here - sums[:, :-1], here - sums[:, 1:])
    start, end = np.unravel_index(int(gain.argmax()), gain.shape)
    return (int(start), int(end)) if gain[start, end] > MIN_MOVE_GAIN else (0, 0)
