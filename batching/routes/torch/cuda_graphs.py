"""GraphRoute: decoding with CUDA graphs on a GPU."""

# torch tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Items

import torch
from torch import Tensor

from batching.forward_route import Overlay, Sampled
from batching.kv.block_pool import ceil_div
from batching.kv.kv_pool import KvPool
from batching.routes.torch.decoder import Decoder
from batching.routes.torch.paged_attention import PagedAttention, paged_attention
from batching.routes.torch.torch_route import FastRoute
from batching.step_plan import PlanRow

TOKEN, POSITION, SLOT, LENGTH, FROM, TABLE = range(6)
"""Columns of a decode's inputs; the blocks of its context follow from TABLE on."""
SMALL_SIZES = (1, 2, 4, 8)
SIZE_STEP = 16
IN_FLIGHT = 2  # steps whose inputs lie on the host at the same time


class GraphRoute(FastRoute):
    """Rows that decode are computed in static tensors, filled up to a size that was captured; others as they come.

    A row of padding has length 0: it attends to nothing, and writes zeros to the padding block. Away from CUDA the
    same computation runs uncaptured, with attention in plain torch.
    """

    name = "graphs"
    max_in_flight = 2

    def __init__(self, decoder: Decoder, max_length: int) -> None:
        """See `FastRoute`."""
        super().__init__(decoder, max_length)
        self._cuda = decoder.device.type == "cuda"
        self._attention: PagedAttention = _kernel() if self._cuda else paged_attention
        self._inputs = torch.empty(0)  # (max rows, columns), int32, read by the graphs
        self._staged: list[
            tuple[Tensor, torch.cuda.Event | None]
        ] = []  # the same on the host, in turn; when it was read
        self._num_replays = 0
        self._graphs: dict[int, tuple[torch.cuda.CUDAGraph | None, Tensor | None]] = {}  # by rows, with their logits

    def allocate(self, pool: KvPool, max_rows: int) -> None:
        """See `Route.allocate`; captures a graph for each size up to `max_rows`."""
        super().allocate(pool, max_rows)
        columns = TABLE + ceil_div(min(pool.num_slots, self._max_length), pool.block_size)
        device = self._decoder.device
        self._inputs = torch.zeros(max_rows, columns, dtype=torch.int32, device=device)
        self._staged = [
            (
                torch.zeros(max_rows, columns, dtype=torch.int32, pin_memory=self._cuda),
                torch.cuda.Event() if self._cuda else None,
            )
            for _ in range(IN_FLIGHT)
        ]
        self._graphs = dict.fromkeys(sizes(max_rows), (None, None))
        if self._cuda:
            self._capture()

    def logits(self, rows: Items[PlanRow], overlays: Mapping[int, Overlay], sampled: Sampled | None = None) -> Tensor:
        """See `Route.logits`; with `sampled`, every row decodes."""
        if sampled is not None:
            return self._replay(rows, sampled)
        decodes = [at for at, row in enumerate(rows) if _is_decode(row) and at not in overlays]
        if len(decodes) == len(rows):
            return self._replay(rows)
        if not decodes:
            return super().logits(rows, overlays)
        apart = set(decodes)
        others = [at for at in range(len(rows)) if at not in apart]
        # first what makes the host wait for the device, then what is only queued
        back = torch.tensor([*others, *decodes], device=self._decoder.device).argsort()
        of_others = super().logits(
            [rows[at] for at in others],
            {place: overlays[at] for place, at in enumerate(others) if at in overlays},
        )
        of_decodes = self._replay([rows[at] for at in decodes])
        return torch.cat([of_others, of_decodes]).index_select(0, back)

    def close(self) -> None:
        """See `Route.close`."""
        super().close()
        self._graphs, self._staged, self._inputs = {}, [], torch.empty(0)

    def _replay(self, rows: Items[PlanRow], sampled: Sampled | None = None) -> Tensor:
        """(B, vocabulary), valid until the next replay."""
        size = next(size for size in self._graphs if size >= len(rows))
        staged, read = self._staged[self._num_replays % IN_FLIGHT]
        self._num_replays += 1
        if read is not None:
            read.synchronize()
        self._fill(staged, rows, () if sampled is None else sampled.places, size)
        inputs = self._inputs[:size]
        inputs.copy_(staged[:size], non_blocking=True)
        if read is not None:
            read.record()
        if sampled is not None:
            of_rows = inputs[: len(rows)]
            of_rows[:, TOKEN] = sampled.tokens.index_select(0, of_rows[:, FROM].long()).int()
        graph, logits = self._graphs[size]
        if graph is None or logits is None:
            most = ceil_div(max(row.end for row in rows), self._pool.block_size)
            return self._forward(inputs[:, : TABLE + most])[: len(rows)]
        graph.replay()
        return logits[: len(rows)]

    def _fill(self, staged: Tensor, rows: Items[PlanRow], places: Items[int], size: int) -> None:
        block_size = self._pool.block_size
        view = staged.numpy()
        view[len(rows) : size, :TABLE] = 0
        for at, row in enumerate(rows):
            token = 0 if row.fed_by is not None else row.tokens[row.start]
            slot = row.blocks[row.start // block_size] * block_size + row.start % block_size
            position = row.start if row.owner.rope is None else row.start + row.owner.rope.delta
            view[at, :TABLE] = (token, position, slot, row.end, places[at] if places else 0)
            num_blocks = ceil_div(row.end, block_size)
            view[at, TABLE : TABLE + num_blocks] = row.blocks[:num_blocks]

    def _forward(self, inputs: Tensor) -> Tensor:
        """(B, vocabulary) of a token per row; nothing in it depends on the host."""
        model = self._decoder
        tokens, positions, slots, lengths = (inputs[:, column].long() for column in (TOKEN, POSITION, SLOT, LENGTH))
        tables, real = inputs[:, TABLE:], (lengths > 0)[:, None]
        rope = self._rope.index_select(1, positions)[:, :, None]
        hidden = model.embed(tokens)
        for layer, pools in zip(model.layers, self._pool.layers, strict=True):
            queries, keys, values = model.queries_keys_values(layer, hidden, rope)
            for pool, new in zip(pools, (keys, values), strict=True):
                pool.write(slots, torch.where(real, new, 0))
            attended = self._attention(queries, *pools, tables, inputs[:, LENGTH], model.scale)
            hidden = model.after_attention(layer, hidden, attended)
        return model.logits(hidden)

    def _capture(self) -> None:
        """The largest first, so that the others fit into its memory."""
        graph_pool = None
        aside = torch.cuda.Stream()
        for size in sorted(self._graphs, reverse=True):
            inputs = self._inputs[:size]
            aside.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(aside):  # kernels are compiled and libraries set up outside of the capture
                for _ in range(2):
                    _ = self._forward(inputs)
            torch.cuda.current_stream().wait_stream(aside)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, pool=graph_pool, capture_error_mode="thread_local"):
                logits = self._forward(inputs)
            graph_pool = graph_pool or graph.pool()
            self._graphs[size] = (graph, logits)


def _is_decode(row: PlanRow) -> bool:
    """One token, at one position, that sees others."""
    return row.count == 1 and row.start > 0 and (row.owner.rope is None or row.start >= row.owner.rope.length)


def sizes(max_rows: int) -> list[int]:
    """The numbers of rows to capture, ascending; the last is `max_rows`."""
    return sorted(
        {size for size in (*SMALL_SIZES, *range(SIZE_STEP, max_rows, SIZE_STEP), max_rows) if size <= max_rows}
    )


def _kernel() -> PagedAttention:
    from batching.routes.torch.paged_attention_kernel import paged_attention

    return paged_attention
