"""Types of every call between deployments: the methods, parameters and results of each deployment's handle.

A declaration has the name, parameters and defaults of the deployment's own method; pictures may also be unawaited
responses, which Serve resolves on their way.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np

from deployments.calls.remote_method import Response, remote_method, streaming_method

if TYPE_CHECKING:  # a caller by handle loads nothing of the callee's
    from deployments.values.completions import LmPiece, LmRequest
    from deployments.values.jobs import (
        Plan,
        Timings,
    )
    from deployments.values.page_job import PageJob
    from deployments.values.read_options import CropRead, ReadOptions
    from documents.boxes import BoundingBox
    from documents.draft.text_source import Wanted
    from documents.errors import IngestError
    from documents.sandbox.page_stages import ComposeCall, Crop, DraftedPage, InspectedPage, PageReadings, PageView
    from documents.segments.blocks import SegmentBlock
    from documents.straighten.pose import Pose
    from documents.values import Detection, OcrMode, Opened, Page, Reading, Source
    from retrieval.answers.answer import WrittenAnswer
    from retrieval.embedding.vectors import Vectors
    from retrieval.search.passage import DocumentSource, IndexedDocument, Passage, StoredChunk
    from retrieval.search.retriever import Retrieved
    from retrieval.search.search import Query

Picture: TypeAlias = np.ndarray | Response[np.ndarray]


class PartHandle(Protocol):
    """Of any deployment: it says of itself what /readyz shows."""

    @remote_method
    def about(self) -> dict[str, Any]: ...


class RendererHandle(Protocol):
    """See `deployments.renderer.deployment.Renderer`."""

    @remote_method
    def about(self) -> dict[str, Any]: ...

    @remote_method
    def open(self, source: Source) -> Opened: ...

    @remote_method
    def attachment(self, source: Source, name: str) -> bytes: ...

    @remote_method
    def inspect(
        self, source: Source, number: int, *, pose: Pose | None = None, text_source: Wanted = "text_layer"
    ) -> InspectedPage: ...

    @remote_method
    def open_page(self, job: PageJob) -> InspectedPage | PageView | Page: ...

    @remote_method
    def straightened(self, page: PageView) -> InspectedPage: ...

    @remote_method
    def crop(self, page: PageView, crop: Crop) -> np.ndarray: ...

    @remote_method
    def crops(self, page: PageView, crops: Sequence[Crop]) -> list[np.ndarray | IngestError]: ...

    @remote_method
    def picture(
        self,
        source: Source,
        number: int,
        *,
        long_side: int | None = None,
        dpi: float | None = None,
        box: BoundingBox | None = None,
        angle: int = 0,
        pose: Pose | None = None,
    ) -> np.ndarray: ...

    @remote_method
    def draft(
        self,
        page: InspectedPage,
        detections: Sequence[Detection],
        *,
        blocks: Sequence[SegmentBlock] = (),
        text_source: Wanted,
        crop_margin: tuple[float, float],
    ) -> DraftedPage: ...

    @remote_method
    def segments(self, page: DraftedPage, readings: PageReadings) -> bytes: ...

    @remote_method
    def compose(self, call: ComposeCall) -> Page: ...

    @remote_method
    def structure(
        self, page: InspectedPage, detections: Sequence[Detection], *, blocks: Sequence[SegmentBlock] = ()
    ) -> Page: ...


class LayoutHandle(Protocol):
    """See `deployments.layout.deployment.Layout`."""

    @remote_method
    def detect(
        self,
        picture: Picture,
        page_size: tuple[float, float] | None = None,
        *,
        label: str = "",
        confidence: float | None = None,
        iou_threshold: float | None = None,
    ) -> list[Detection]: ...

    @remote_method
    def blocks(self, features: bytes, *, label: str = "") -> tuple[SegmentBlock, ...]: ...

    @remote_method
    def about(self) -> dict[str, Any]: ...


class OcrStreams(Protocol):
    """What Ocr streams."""

    @streaming_method
    def read_crops(
        self,
        crops: Sequence[np.ndarray | IngestError] | Response[list[np.ndarray | IngestError]],
        options: Sequence[ReadOptions],
        *,
        label: str = "",
        cost: float | None = None,
    ) -> AsyncIterator[CropRead]: ...

    @streaming_method
    def stream(
        self,
        picture: Picture,
        mode: OcrMode = "plain",
        *,
        label: str = "",
        cost: float | None = None,
        **read_options: Any,
    ) -> AsyncIterator[str | Reading]: ...


class OcrHandle(Protocol):
    """See `deployments.ocr.deployment.Ocr`."""

    @remote_method
    def read(
        self,
        picture: Picture,
        mode: OcrMode = "plain",
        *,
        label: str = "",
        cost: float | None = None,
        **read_options: Any,
    ) -> tuple[tuple[int, int], Reading]: ...

    @remote_method
    def direction(self, picture: Picture, *, label: str = "") -> int: ...

    @remote_method
    def about(self) -> dict[str, Any]: ...

    def options(self, *, stream: Literal[True]) -> OcrStreams: ...


class EmbedderHandle(Protocol):
    """See `deployments.embedder.deployment.Embedder`."""

    @remote_method
    def embed(self, texts: list[str]) -> Vectors | None: ...

    @remote_method
    def embed_query(self, text: str) -> Vectors | None: ...

    @remote_method
    def about(self) -> dict[str, Any]: ...

    @remote_method
    def warm(self) -> None: ...


class SearchHandle(Protocol):
    """See `deployments.search.deployment.Search`."""

    @remote_method
    def replace(
        self,
        document_id: str,
        chunks: list[str],
        vectors: Vectors | None,
        *,
        namespace: str,
        revision: int,
        metadata: Mapping[str, str] | None = None,
        source: DocumentSource | None = None,
    ) -> None: ...

    @remote_method
    def forget(self, document_id: str, *, namespace: str) -> None: ...

    @remote_method
    def query(
        self, query: Query | str, *, namespace: str = "default", bypass_cache: bool = False, **options: Any
    ) -> Retrieved: ...

    @remote_method
    def documents(self, *, namespace: str = "default", after: str = "", limit: int = 100) -> list[IndexedDocument]: ...

    @remote_method
    def chunks(
        self, document_id: str, *, namespace: str = "default", first: int = 0, limit: int = 100
    ) -> list[StoredChunk]: ...

    @remote_method
    def rebuild(self) -> dict[str, Any]: ...

    @remote_method
    def state(self) -> dict[str, Any]: ...

    @remote_method
    def about(self) -> dict[str, Any]: ...


class LmStreams(Protocol):
    """What Lm streams."""

    @streaming_method
    def answer(self, question: str, passages: Sequence[Passage]) -> AsyncIterator[str | WrittenAnswer]: ...

    @streaming_method
    def write(self, request: LmRequest) -> AsyncIterator[LmPiece]: ...


class LmHandle(Protocol):
    """See `deployments.lm.deployment.Lm`."""

    @remote_method
    def complete(self, prompt: str, num_tokens: int) -> str: ...

    @remote_method
    def stats(self) -> dict[str, float]: ...

    @remote_method
    def about(self) -> dict[str, Any]: ...

    def options(self, *, stream: Literal[True]) -> LmStreams: ...


class PipelineHandle(Protocol):
    """See `deployments.pipeline.deployment.Pipeline`."""

    @remote_method
    def about(self) -> dict[str, Any]: ...

    @remote_method
    def open(self, source: Source) -> Opened: ...

    @remote_method
    def attachment(self, source: Source, name: str) -> bytes: ...

    @remote_method
    def page(self, job: PageJob) -> tuple[Page, Timings]: ...

    @remote_method
    def finish(self, plan: Plan, opened: Opened, pages: Sequence[Page]) -> None: ...

    @remote_method
    def forget(self, document_id: str, *, namespace: str) -> None: ...
