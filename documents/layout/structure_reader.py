"""Reads the structure of pages by a checkpoint of the structure network."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file

from documents.layout.structure_network import NetworkShape, StructureNetwork, batch_of
from documents.segments.blocks import SegmentBlock, SegmentScores, blocks_of
from documents.segments.features import PageFeatures
from documents.segments.packed_features import unpack
from documents.segments.page_tokens import SEGMENT
from documents.segments.roles import ROLES

MAX_TOKENS = 640  # of a page that is read in one piece: the work grows with their square


class StructureReader:
    """The blocks of pages; each page is a pass of its own, so that its result depends on no other."""

    def __init__(self, folder: Path, device: str = "cpu") -> None:
        """Load `config.json` and `model.safetensors` of a folder.

        Raises:
            ValueError: the checkpoint knows other roles than this version.
        """
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        if config["roles"] != list(ROLES):
            raise ValueError(f"the checkpoint in {folder} knows other roles than this version")
        names = [field.name for field in fields(NetworkShape)]
        self._network = StructureNetwork(NetworkShape(**{name: config[name] for name in names}))
        self._network.load_state_dict(load_file(folder / "model.safetensors"))
        self._network.eval().to(device)
        self._device = device

    def blocks(self, pages: Sequence[PageFeatures]) -> Iterator[tuple[SegmentBlock, ...]]:
        """Of each page, its blocks in reading order."""
        for page in pages:
            yield self._page(page)

    def blocks_of(self, packed: bytes) -> tuple[SegmentBlock, ...]:
        """The blocks of one page by its packed features; none without any.

        Raises:
            ValueError: they are of no page.
        """
        return self._page(unpack(packed)) if packed else ()

    def _page(self, page: PageFeatures) -> tuple[SegmentBlock, ...]:
        """A page of very many segments is read in bands from the top, each by itself."""
        segments = np.flatnonzero(page.kind == SEGMENT)
        graphics = np.flatnonzero(page.kind != SEGMENT)
        room = MAX_TOKENS - len(graphics)
        if len(segments) <= room:
            return self._band(page, segments)
        by_top = segments[np.argsort(page.box[segments, 1], kind="stable")]
        bands = np.array_split(by_top, -(-len(by_top) // room))
        return tuple(block for band in bands for block in self._band(page, np.sort(band)))

    @torch.inference_mode()
    def _band(self, page: PageFeatures, segments: np.ndarray) -> tuple[SegmentBlock, ...]:
        if not len(segments):
            return ()
        chosen = np.concatenate([segments, np.flatnonzero(page.kind != SEGMENT)])
        inside = page.inside[chosen]
        places = {int(token): k for k, token in enumerate(chosen)}
        part = PageFeatures(
            numbers=page.numbers[chosen],
            hashes=page.hashes[chosen],
            kind=page.kind[chosen],
            box=page.box[chosen],
            size=page.size[chosen],
            bold=page.bold[chosen],
            inside=np.array([places.get(int(box), -1) for box in inside], np.int16),
            lengths=page.lengths[chosen],
        )
        scores = self._network(batch_of([part], self._device))
        count = len(segments)
        follows = scores.next[0, :count].float().cpu().numpy()
        blocks = blocks_of(
            SegmentScores(
                role=scores.role[0, :count].float().cpu().numpy(),
                next=np.concatenate([follows[:, :count], follows[:, -1:]], 1),
                before=scores.before[0, :count, :count].float().cpu().numpy(),
            ),
            page.lengths[segments],
        )
        return tuple(
            block.model_copy(update={"segments": tuple(segments[list(block.segments)].tolist())}) for block in blocks
        )
