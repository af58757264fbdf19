"""Reads the structure of pages by a checkpoint of the structure network."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file

from documents.layout.structure.structure_network import NetworkShape, StructureNetwork, batch_of
from documents.segments.blocks import SegmentBlock, SegmentScores, blocks_of
from documents.segments.features import PageFeatures
from documents.segments.packed_features import unpack
from documents.segments.page_tokens import SEGMENT
from documents.segments.roles import ROLES


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

    def blocks(self, pages: Iterable[Sequence[PageFeatures]]) -> Iterator[tuple[SegmentBlock, ...]]:
        """Of each page, which is a list of bands from the top, its blocks in reading order."""
        for bands in pages:
            yield self._page(bands)

    def blocks_of(self, packed: bytes) -> tuple[SegmentBlock, ...]:
        """The blocks of one page by its packed features; none without any.

        Raises:
            ValueError: they are of no page.
        """
        return self._page(unpack(packed))

    def _page(self, bands: Sequence[PageFeatures]) -> tuple[SegmentBlock, ...]:
        blocks: list[SegmentBlock] = []
        for band in bands:
            num_tables = 1 + max((block.table for block in blocks if block.table is not None), default=-1)
            blocks += (_counted_from(num_tables, block) for block in self._band(band))
        return tuple(blocks)

    @torch.inference_mode()
    def _band(self, band: PageFeatures) -> tuple[SegmentBlock, ...]:
        count = int((band.kind == SEGMENT).sum())
        if not count:
            return ()
        scores = self._network(batch_of([band], self._device))
        follows = scores.next[0, :count].float().cpu().numpy()
        blocks = blocks_of(
            SegmentScores(
                role=scores.role[0, :count].float().cpu().numpy(),
                next=np.concatenate([follows[:, :count], follows[:, -1:]], 1),
                before=scores.before[0, :count, :count].float().cpu().numpy(),
                table=scores.table[0, :count, :count].float().cpu().numpy(),
            ),
            band.lengths[:count],
        )
        return tuple(
            block.model_copy(update={"segments": tuple(band.rows[list(block.segments)].tolist())}) for block in blocks
        )


def _counted_from(first: int, block: SegmentBlock) -> SegmentBlock:
    """The block, whose table's number is of one band, among those of the page."""
    return block if block.table is None else block.model_copy(update={"table": first + block.table})
