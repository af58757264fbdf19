"""Batches of squares with alike numbers of rows, drawn on the fly by worker processes."""

from __future__ import annotations

import multiprocessing
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from documents.ocr_input.strip_folding import ROWS, SQUARE_SIDE, STRIP_HEIGHT
from training.ocr.blanks import BlankPress
from training.ocr.characters import CHARS
from training.ocr.model import END, EOS, PAD, PER_ROW, SPECIALS, STEPS
from training.ocr.strips import StripPress

FULL_SHARE = 0.05  # of strips shown in a square of all rows, as reading does
USES = 2  # of each drawing, in different company
MIN_KEPT = 500  # drawings before one is used again
BLANKS = 0.1  # share of strips without a text
REAL_SHARE = 0.04  # of strips that are lines of scanned paper, where there are some
LONGEST_REAL = 100  # characters: a longer line is read in parts
WHITE = 255
UNKNOWN = -100  # place that no loss asks for
SEEDS_APART = 1_000_003  # between workers
IDS = {char: k + len(SPECIALS) for k, char in enumerate(CHARS)}

Drawing = tuple[str, np.ndarray, np.ndarray]


class Batch(NamedTuple):
    """Tensors of one step; its first dimension is the strip."""

    image: Tensor  # float32 (strips, 1, rows * STRIP_HEIGHT, SQUARE_SIDE): paper 0, ink -2
    inputs: Tensor  # token ids, END first
    targets: Tensor  # token ids, EOS last, then PAD
    places: Tensor  # the character, or PAD, at each 8th column
    looks: Tensor  # the image token where a wanted one is, or -1

    def to(self, device: str) -> Batch:
        return Batch(*(part.to(device, non_blocking=True) for part in self))


class StripBatches(IterableDataset[Batch]):
    """An endless stream, `rows_each` rows per batch; `longest`, of the texts, may be changed while it is read."""

    def __init__(
        self,
        seed: int,
        rows_each: int,
        longest: int,
        weights: Mapping[str, float] | None = None,
        uses: int = USES,
        real: Sequence[Drawing] = (),
    ) -> None:
        """`weights`: see `StripPress`; `uses` of each drawing; `real`: lines of scanned paper, see `real_drawings`."""
        self._seed, self._rows_each, self._weights, self._uses = seed, rows_each, weights, uses
        self._real = real
        self._longest = multiprocessing.get_context("spawn").Value("i", longest)

    @property
    def longest(self) -> int:
        return self._longest.value

    @longest.setter
    def longest(self, characters: int) -> None:
        self._longest.value = characters

    def loader(self, num_workers: int) -> DataLoader[Batch]:
        """Batches from that many processes, or from this one."""
        settings: dict[str, Any] = {"multiprocessing_context": "spawn", "prefetch_factor": 4} if num_workers else {}
        return DataLoader(self, batch_size=None, num_workers=num_workers, **settings)

    def __iter__(self) -> Iterator[Batch]:
        worker = get_worker_info()
        seed = self._seed + SEEDS_APART * (worker.id if worker else 0)
        press, blanks, shuffle = StripPress(seed, weights=self._weights), BlankPress(seed), random.Random(seed)
        pool: dict[int, list[Drawing]] = {rows: [] for rows in range(2, ROWS + 1, 2)}
        reused: list[Drawing] = []
        while True:
            if shuffle.random() < BLANKS:
                rows = blanks.strip()
                drawing = ("", rows, np.full(len(rows) * (SQUARE_SIDE // 8), -1, np.int16))
            elif self._real and shuffle.random() < REAL_SHARE:
                drawing = shuffle.choice(self._real)
            elif len(reused) < MIN_KEPT or shuffle.random() < 1 / self._uses:
                reused.append(drawing := press.strip(self.longest))
            else:
                drawing = reused.pop(shuffle.randrange((len(reused) + 1) // 2))
            rows = ROWS if shuffle.random() < FULL_SHARE else len(drawing[1]) + len(drawing[1]) % 2
            pool[rows].append(drawing)
            if len(pool[rows]) * rows >= self._rows_each:
                yield batch_of(pool[rows], rows)
                pool[rows] = []


def real_drawings(folder: Path) -> list[Drawing]:
    """The lines that `training.ocr.real_lines` wrote, as strips of which no character is located."""
    from training.ocr.real_lines import read_lines  # needs pydantic, which a machine that only trains may lack

    drawings: list[Drawing] = []
    for line in read_lines(folder):
        rows = line.squares[0][..., 0].reshape(ROWS, STRIP_HEIGHT, SQUARE_SIDE)
        num_rows = max((k + 1 for k in range(ROWS) if rows[k].min() < WHITE), default=1)
        if len(line.squares) == 1 and len(line.text) <= LONGEST_REAL:
            drawings.append((line.text, rows[:num_rows], np.full(num_rows * (SQUARE_SIDE // 8), -1, np.int16)))
    return drawings


def batch_of(drawings: list[Drawing], num_rows: int) -> Batch:
    """Texts, folded rows and places (`StripPress.strip`; a blank strip has no text) as tensors."""
    targets = torch.full((len(drawings), 1 + max(len(text) for text, _, _ in drawings)), PAD)
    places, looks = torch.full((len(drawings), num_rows * PER_ROW * STEPS), PAD), torch.full_like(targets, -1)
    for k, (text, _, where) in enumerate(drawings):
        slots = np.flatnonzero(where >= 0)
        looks[k, where[slots]] = torch.from_numpy(slots // STEPS)
        targets[k, : len(text) + 1] = torch.tensor([*(IDS[char] for char in text), EOS])
        places[k, : len(where)] = torch.where(torch.from_numpy(where) < 0, PAD, targets[k, where])
        if text and not len(slots):
            places[k] = UNKNOWN
    inputs = torch.cat((torch.full_like(targets[:, :1], END), targets[:, :-1]), dim=1)
    return Batch(torch.stack([_pixels(rows, num_rows) for _, rows, _ in drawings]), inputs, targets, places, looks)


def _pixels(rows: np.ndarray, num_rows: int) -> Tensor:
    """What the model sees: mean 1, deviation 0.5; float32 (1, num_rows * STRIP_HEIGHT, SQUARE_SIDE)."""
    full = np.full((num_rows, STRIP_HEIGHT, SQUARE_SIDE), 255, np.uint8)
    full[: len(rows)] = rows
    return torch.from_numpy(full.reshape(1, -1, SQUARE_SIDE)).float().div_(127.5).sub_(2.0)
