"""Batches of pages drawn on the fly by worker processes, and of real ones if given; none is used twice alike."""

from __future__ import annotations

import multiprocessing
import random
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from training.layout.augment import sample
from training.layout.classes import FIG_CAP, FORM_CAP, FORMULA, TAB_CAP, TAB_NOTE
from training.layout.pages.draw import draw
from training.layout.training_pages import TrainingPage

USES = 4  # of each drawing, on average
MIN_KEPT, MAX_KEPT = 16, 400  # drawings that a worker draws before its first batch, and holds at most
SEEDS_APART = 10_000_000  # between streams of pages
REAL_SHARE = 0.35  # of the images, where real pages are given
CALM_FROM = 0.8  # of the run
RARE = (FIG_CAP, TAB_CAP, TAB_NOTE, FORMULA, FORM_CAP)  # pages with one of these are shown twice as often


class Phase(NamedTuple):
    """Until this share of the run images have these sides."""

    end: float
    long: int
    short: int


PHASES = (Phase(0.40, 448, 320), Phase(0.88, 640, 480), Phase(1.01, 640, 640))


def drawn_page(seed: int) -> TrainingPage:
    """The page of a seed, compressed as it would lie on a disk."""
    page = draw(seed)
    quality = [cv2.IMWRITE_JPEG_QUALITY, page.r.choice((60, 80, 92))]
    _, jpeg = cv2.imencode(".jpg", np.asarray(page.im)[..., ::-1], quality)
    rows = np.array([(cls, *box) for cls, box in page.boxes], np.float32).reshape(-1, 5)
    return TrainingPage(jpeg, rows, page.w > page.h)


class PageBatches(IterableDataset[dict[str, Any]]):
    """An endless stream for the network's own loss; `share_done`, of the run, sets the size of its images."""

    def __init__(
        self,
        seed: int,
        batch_size: int,
        share_done: float,
        phases: tuple[Phase, ...] = PHASES,
        real_pages: Sequence[TrainingPage] = (),
    ) -> None:
        self._seed, self._batch_size, self._phases, self._real_pages = seed, batch_size, phases, real_pages
        self._share_done = multiprocessing.get_context("spawn").Value("d", share_done)

    @property
    def share_done(self) -> float:
        return self._share_done.value

    @share_done.setter
    def share_done(self, share: float) -> None:
        self._share_done.value = share

    def loader(self, num_workers: int) -> DataLoader[dict[str, Any]]:
        """Batches from that many processes, or from this one."""
        settings: dict[str, Any] = {"multiprocessing_context": "spawn", "prefetch_factor": 4} if num_workers else {}
        return DataLoader(self, batch_size=None, num_workers=num_workers, **settings)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        worker = get_worker_info()
        if worker:
            cv2.setNumThreads(1)
        seed = self._seed + SEEDS_APART * (worker.id if worker else 0)
        r, g = random.Random(seed), np.random.default_rng(seed)
        pool: list[TrainingPage] = []
        while True:
            num_new = MIN_KEPT if not pool else sum(r.random() < 1 / USES for _ in range(self._batch_size))
            for _ in range(num_new):
                pool.append(drawn_page(seed := seed + 1))
                if len(pool) > MAX_KEPT:
                    pool.pop(r.randrange(MAX_KEPT))
            yield self._batch(pool, r, g)

    def _batch(self, pool: list[TrainingPage], r: random.Random, g: np.random.Generator) -> dict[str, Any]:
        """Pages of one shape: all tall or all wide."""
        done = self.share_done
        phase = next(phase for phase in self._phases if done < phase.end)
        wide = r.choice(pool).wide
        h, w = (phase.short, phase.long) if wide else (phase.long, phase.short)
        drawn, real = ([page for page in pages if page.wide == wide] for pages in (pool, self._real_pages))
        drawn += [page for page in drawn if np.isin(page.rows[:, 0], RARE).any()]
        sets = [real if real and r.random() < REAL_SHARE else drawn for _ in range(self._batch_size)]
        return batch_of([sample(pages, r, g, h, w, calm=done > CALM_FROM) for pages in sets])


def batch_of(samples: list[tuple[np.ndarray, np.ndarray]]) -> dict[str, Any]:
    """What the package's `v8DetectionLoss` takes: RGB in 0..1, boxes as centre and size in 0..1."""
    images, rows = zip(*samples, strict=True)
    h, w = images[0].shape[:2]
    box = np.concatenate(rows).astype(np.float32)
    centre_size = np.concatenate(((box[:, 1:3] + box[:, 3:]) / 2, box[:, 3:] - box[:, 1:3]), 1)
    numbers = np.repeat(np.arange(len(rows), dtype=np.float32), [len(row) for row in rows])
    return {
        "img": torch.from_numpy(np.stack(images)[..., ::-1].copy()).permute(0, 3, 1, 2).float().div_(255),
        "batch_idx": torch.from_numpy(numbers),
        "cls": torch.from_numpy(box[:, :1]),
        "bboxes": torch.from_numpy(centre_size / np.array((w, h, w, h), np.float32)),
        "resized_shape": [(h, w)] * len(rows),
    }
