"""DecodeGraphs: rows that decode, computed by CUDA graphs."""

# torch tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Items
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from batching.forward_route import Sampled
from batching.kv.block_pool import ceil_div
from batching.kv.kv_pool import KvPool
from batching.kv.kv_rows import KvRows
from batching.routes.llama_weights import RopeTable
from batching.routes.torch.decoder import Decoder
from batching.step_plan import PlanRow

PagedAttention = Callable[[Tensor, KvRows, KvRows, Tensor, Tensor, float], Tensor]
"""Of queries, keys, values, block tables, lengths and scale; see `paged_attention_kernel`."""
ArrayT = TypeVar("ArrayT", Tensor, npt.NDArray[np.int32])
NUM_COLUMNS = 5  # columns of `DecodeInputs` before the block tables
SMALL_SIZES = (1, 2, 4, 8)
SIZE_STEP = 16
MAX_IN_FLIGHT_STEPS = 2  # steps whose inputs are on the host at the same time


@dataclass(frozen=True, slots=True, eq=False)
class DecodeInputs(Generic[ArrayT]):
    """Views of one array (rows, columns), which one copy brings to the device. A row of padding has length 0."""

    tokens: ArrayT  # (rows)
    positions: ArrayT
    slots: ArrayT  # where the token's keys and values go
    lengths: ArrayT  # tokens of the context, this one included
    sources: ArrayT  # of a token that the host has not seen: its place among those of the step before
    tables: ArrayT  # (rows, N): the blocks of the context

    @classmethod
    def of(cls, array: ArrayT) -> DecodeInputs[ArrayT]:
        """Views of `array`."""
        tokens, positions, slots, lengths, sources = (array[:, column] for column in range(NUM_COLUMNS))
        return cls(tokens, positions, slots, lengths, sources, array[:, NUM_COLUMNS:])


class DecodeGraphs:
    """Rows are computed in static tensors, filled up to a size that was captured.

    A row of padding attends to nothing, and writes zeros to the padding block. Away from CUDA the same computation
    runs uncaptured.
    """

    def __init__(self, decoder: Decoder, attention: PagedAttention) -> None:
        self._decoder = decoder
        self._attention = attention
        self._cuda = decoder.device.type == "cuda"
        self._pool = KvPool(0, 1)
        self._rope: RopeTable | None = None
        self._inputs = torch.empty(0)  # (max rows, columns), int32, read by the graphs
        # the same on the host, used alternately, and the event after which they may be written again
        self._staged: list[tuple[Tensor, torch.cuda.Event | None]] = []
        self._num_replays = 0
        self._graphs: dict[int, tuple[torch.cuda.CUDAGraph | None, Tensor | None]] = {}  # by rows, with their logits

    def allocate(self, pool: KvPool, rope: RopeTable, max_rows: int) -> None:
        """Captures a graph for each size up to `max_rows`; the decoder has given `pool` its layers."""
        self._pool = pool
        self._rope = rope
        shape = (max_rows, NUM_COLUMNS + ceil_div(rope.rows.shape[1], pool.block_size))
        self._inputs = torch.zeros(shape, dtype=torch.int32, device=self._decoder.device)
        self._staged = [
            (
                torch.zeros(shape, dtype=torch.int32, pin_memory=self._cuda),
                torch.cuda.Event() if self._cuda else None,
            )
            for _ in range(MAX_IN_FLIGHT_STEPS)
        ]
        self._graphs = dict.fromkeys(sizes(max_rows), (None, None))
        if self._cuda:
            self._capture()

    def replay(self, rows: Items[PlanRow], sampled: Sampled | None = None) -> Tensor:
        """(B, vocabulary), valid until the next replay."""
        size = next(size for size in self._graphs if size >= len(rows))
        staged, read = self._staged[self._num_replays % MAX_IN_FLIGHT_STEPS]
        self._num_replays += 1
        if read is not None:
            read.synchronize()
        self._fill(staged.numpy()[:size], rows, sampled)
        inputs = self._inputs[:size]
        inputs.copy_(staged[:size], non_blocking=True)
        if read is not None:
            read.record()
        if sampled is not None:
            of_rows = DecodeInputs.of(inputs[: len(rows)])
            of_rows.tokens.copy_(sampled.tokens.index_select(0, of_rows.sources.long()))
        graph, logits = self._graphs[size]
        if graph is None or logits is None:
            num_blocks = ceil_div(max(row.end for row in rows), self._pool.block_size)
            return self._forward(inputs[:, : NUM_COLUMNS + num_blocks])[: len(rows)]
        graph.replay()
        return logits[: len(rows)]

    def close(self) -> None:
        """Let the pool go."""
        self._pool = KvPool(0, 1)
        self._graphs = {}
        self._staged = []
        self._inputs = torch.empty(0)

    def _fill(self, array: npt.NDArray[np.int32], rows: Items[PlanRow], sampled: Sampled | None) -> None:
        size = self._pool.block_size
        array[len(rows) :, :NUM_COLUMNS] = 0
        inputs = DecodeInputs.of(array[: len(rows)])
        inputs.tokens[:] = [0 if row.fed_by is not None else row.tokens[row.start] for row in rows]
        inputs.positions[:] = [row.start + (0 if row.owner.rope is None else row.owner.rope.delta) for row in rows]
        inputs.slots[:] = [row.blocks[row.start // size] * size + row.start % size for row in rows]
        inputs.lengths[:] = [row.end for row in rows]
        inputs.sources[:] = 0 if sampled is None else sampled.places
        for table, row in zip(inputs.tables, rows, strict=True):
            num_blocks = ceil_div(row.end, size)
            table[:num_blocks] = row.blocks[:num_blocks]

    def _forward(self, array: Tensor) -> Tensor:
        """(B, vocabulary) of a token per row; nothing in it depends on the host."""
        assert self._rope is not None
        model, inputs = self._decoder, DecodeInputs.of(array)
        slots, real = inputs.slots.long(), (inputs.lengths > 0)[:, None]
        rope = self._rope.at(inputs.positions.long())[:, :, None]
        hidden = model.embed(inputs.tokens.long())
        for layer, pools in zip(model.layers, self._pool.layers, strict=True):
            queries, keys, values = model.queries_keys_values(layer, hidden, rope)
            for pool, new in zip(pools, (keys, values), strict=True):
                pool.write(slots, torch.where(real, new, 0))
            attended = self._attention(queries, *pools, inputs.tables, inputs.lengths, model.scale)
            hidden = model.after_attention(layer, hidden, attended)
        return model.logits(hidden)

    def _capture(self) -> None:
        """The largest first, so that the others fit into its memory."""
        graph_pool = None
        side_stream = torch.cuda.Stream()
        for size in sorted(self._graphs, reverse=True):
            inputs = self._inputs[:size]
            side_stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side_stream):  # kernels are compiled and libraries set up outside of the capture
                for _ in range(2):
                    _ = self._forward(inputs)
            torch.cuda.current_stream().wait_stream(side_stream)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, pool=graph_pool, capture_error_mode="thread_local"):
                logits = self._forward(inputs)
            graph_pool = graph_pool or graph.pool()
            self._graphs[size] = (graph, logits)


def is_decode(row: PlanRow) -> bool:
    """One token, at one position, that sees others."""
    return row.count == 1 and row.start > 0 and (row.owner.rope is None or row.start >= row.owner.rope.length)


def sizes(max_rows: int) -> list[int]:
    """The numbers of rows to capture, ascending; the last is `max_rows`."""
    candidates = {*SMALL_SIZES, *range(SIZE_STEP, max_rows, SIZE_STEP), max_rows}
    return sorted(size for size in candidates if size <= max_rows)
