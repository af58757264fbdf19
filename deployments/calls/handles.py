"""Types of the calls between deployments, generated from their classes by `make generate`; do not edit.

A method has the parameters, defaults and result of the deployment's own; a `Forwardable` parameter takes an unawaited
response, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from deployments.calls.remote_method import remote_method, streaming_method

if TYPE_CHECKING:  # a caller by handle loads nothing of the callee's
    from collections.abc import AsyncIterator, Mapping, Sequence
    from datetime import datetime
    from typing import Any, Literal

    import numpy as np

    from deployments.calls.remote_method import Response
    from deployments.values.completions import LmPiece, LmRequest
    from deployments.values.jobs import (
        Event,
        ExtractionJob,
        ExtractionSubmission,
        Job,
        JobStatus,
        PageRecord,
        PartialPage,
        Plan,
        Submission,
        Timings,
    )
    from deployments.values.page_job import PageJob
    from deployments.values.read_options import CropRead, ReadOptions
    from deployments.values.staged_blob import StagedBlob, StagedFile
    from deployments.values.webhooks import DeadLetter, Subscription
    from documents.boxes import BoundingBox
    from documents.draft.text_source import Wanted
    from documents.errors import IngestError
    from documents.exports.picture_file import PictureFile, PictureForm
    from documents.sandbox.page_stages import ComposeCall, Crop, DraftedPage, InspectedPage, PageReadings, PageView
    from documents.segments.blocks import SegmentBlock
    from documents.straighten.pose import Pose
    from documents.values import Detection, OcrMode, Opened, Page, Reading, Source
    from retrieval.answers.answer import WrittenAnswer
    from retrieval.embedding.vectors import Vectors
    from retrieval.search.passage import DocumentSource, IndexedDocument, Passage, StoredChunk
    from retrieval.search.query import Query, Retrieved


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


class JobsHandle(Protocol):
    """See `deployments.jobs.deployment.Jobs`."""

    @remote_method
    def job(self, job_id: str, namespace: str | None = None) -> Job: ...

    @remote_method
    def jobs(self, namespace: str, limit: int = 100, status: JobStatus | None = None) -> list[Job]: ...

    @remote_method
    def plan(self, job_id: str, namespace: str | None = None) -> Plan: ...

    @remote_method
    def facts(self, job_id: str, namespace: str | None = None) -> tuple[Plan, Opened, tuple[int, ...]]: ...

    @remote_method
    def page_texts(self, job_id: str, numbers: Sequence[int]) -> list[str]: ...

    @remote_method
    def events(
        self, job_id: str, after: int, wait_s: float, namespace: str | None = None
    ) -> tuple[list[Event], bool]: ...

    @remote_method
    def extraction(self, extraction_id: str, namespace: str | None = None, wait_s: float = 0) -> ExtractionJob: ...

    @remote_method
    def extraction_events(
        self, extraction_id: str, after: int, wait_s: float, namespace: str | None = None
    ) -> tuple[list[Event], bool]: ...

    @remote_method
    def extraction_result(self, extraction_id: str, namespace: str | None = None) -> str | None: ...

    @remote_method
    def submit(self, content: bytes, options: dict[str, Any] | None = None, *, file_name: str = "document") -> Job: ...

    @remote_method
    def check_room(self, namespace: str = "default", max_unfinished: int | None = None) -> None: ...

    @remote_method
    def take(self, submission: Submission, staged: StagedBlob) -> Job: ...

    @remote_method
    def subscribe(self, subscription: Subscription) -> None: ...

    @remote_method
    def dead_letters(self, namespace: str, limit: int = 100) -> list[DeadLetter]: ...

    @remote_method
    def wait(self, job_id: str, timeout_s: float = 3600, namespace: str | None = None) -> Job: ...

    @remote_method
    def partial_page(self, job_id: str, partial_page: PartialPage) -> None: ...

    @remote_method
    def partial_results(self, job_id: str, num_sent: int, wait_s: float) -> tuple[list[PartialPage], int, bool]: ...

    @remote_method
    def forget(self, document_id: str, namespace: str = "default") -> None: ...

    @remote_method
    def position(self, job_id: str, namespace: str) -> int: ...

    @remote_method
    def documents_older_than(self, moment: datetime, namespace: str) -> list[str]: ...

    @remote_method
    def cancel(self, job_id: str, namespace: str | None = None) -> Job: ...

    @remote_method
    def extract(self, submission: ExtractionSubmission) -> ExtractionJob: ...

    @remote_method
    def cancel_extraction(self, extraction_id: str, namespace: str | None = None) -> ExtractionJob: ...

    @remote_method
    def page(self, job_id: str, number: int, namespace: str | None = None) -> PageRecord | None: ...

    @remote_method
    def job_of_document(self, document_id: str, namespace: str = "default", revision: int | None = None) -> str: ...

    @remote_method
    def about(self) -> dict[str, Any]: ...


class LayoutHandle(Protocol):
    """See `deployments.layout.deployment.Layout`."""

    @remote_method
    def detect(
        self,
        picture: np.ndarray | Response[np.ndarray],
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


class LmStreams(Protocol):
    """What Lm streams."""

    @streaming_method
    def answer(self, question: str, passages: Sequence[Passage]) -> AsyncIterator[str | WrittenAnswer]: ...

    @streaming_method
    def write(self, request: LmRequest, *pictures: np.ndarray | Response[np.ndarray]) -> AsyncIterator[LmPiece]: ...


class LmHandle(Protocol):
    """See `deployments.lm.deployment.Lm`."""

    @remote_method
    def complete(self, prompt: str, num_tokens: int) -> str: ...

    @remote_method
    def stats(self) -> dict[str, float]: ...

    @remote_method
    def about(self) -> dict[str, Any]: ...

    def options(self, *, stream: Literal[True]) -> LmStreams: ...


class OcrStreams(Protocol):
    """What Ocr streams."""

    @streaming_method
    def read_crops(
        self,
        crops: Sequence[np.ndarray | IngestError] | Response[Sequence[np.ndarray | IngestError]],
        options: Sequence[ReadOptions],
        *,
        label: str = "",
        cost: float | None = None,
    ) -> AsyncIterator[CropRead]: ...

    @streaming_method
    def stream(
        self,
        picture: np.ndarray | Response[np.ndarray],
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
        picture: np.ndarray | Response[np.ndarray],
        mode: OcrMode = "plain",
        *,
        label: str = "",
        cost: float | None = None,
        **read_options: Any,
    ) -> tuple[tuple[int, int], Reading]: ...

    @remote_method
    def direction(self, picture: np.ndarray | Response[np.ndarray], *, label: str = "") -> int: ...

    @remote_method
    def about(self) -> dict[str, Any]: ...

    def options(self, *, stream: Literal[True]) -> OcrStreams: ...


class PipelineHandle(Protocol):
    """See `deployments.pipeline.deployment.Pipeline`."""

    @remote_method
    def about(self) -> dict[str, Any]: ...

    @remote_method
    def open(self, source: Source) -> Opened: ...

    @remote_method
    def attachment(self, source: Source, name: str) -> bytes: ...

    @remote_method
    def fingerprint(self, source: Source, number: int) -> str | None: ...

    @remote_method
    def page(self, job: PageJob) -> tuple[Page, Timings]: ...

    @remote_method
    def finish(self, plan: Plan, opened: Opened) -> None: ...

    @remote_method
    def forget(self, document_id: str, *, namespace: str, shard: int = 0) -> None: ...


class RendererHandle(Protocol):
    """See `deployments.renderer.deployment.Renderer`."""

    @remote_method
    def warm(self) -> None: ...

    @remote_method
    def open(self, source: Source) -> Opened: ...

    @remote_method
    def attachment(self, source: Source, name: str) -> bytes: ...

    @remote_method
    def inspect(
        self, source: Source, number: int, *, pose: Pose | None = None, text_source: Wanted = "text_layer"
    ) -> InspectedPage: ...

    @remote_method
    def fingerprint(self, source: Source, number: int) -> str | None: ...

    @remote_method
    def straightened(self, page: PageView) -> InspectedPage: ...

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
    def crop(self, page: PageView, crop: Crop) -> np.ndarray: ...

    @remote_method
    def staged_object(self, url: str) -> StagedFile: ...

    @remote_method
    def discard_object(self, staged: StagedFile) -> None: ...

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

    @remote_method
    def about(self) -> dict[str, Any]: ...

    @remote_method
    def open_page(self, job: PageJob) -> InspectedPage | PageView | Page: ...

    @remote_method
    def crops(self, page: PageView, crops: Sequence[Crop]) -> list[np.ndarray | IngestError]: ...

    @remote_method
    def picture_file(
        self,
        source: Source,
        number: int,
        *,
        form: PictureForm = "PNG",
        dpi: float | None = None,
        box: BoundingBox | None = None,
        angle: int = 0,
        scale: tuple[float, float] = (1.0, 1.0),
    ) -> PictureFile: ...

    @remote_method
    def overlay(self, source: Source, page: Page, *, dpi: float) -> bytes: ...


class SearchHandle(Protocol):
    """See `deployments.search.deployment.Search`."""

    @remote_method
    def replace(
        self,
        document_id: str,
        chunks: list[str],
        *,
        namespace: str,
        revision: int,
        metadata: Mapping[str, str] | None = None,
        source: DocumentSource | None = None,
        shard: int = 0,
    ) -> None: ...

    @remote_method
    def forget(self, document_id: str, *, namespace: str, shard: int = 0) -> None: ...

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


class ModelsStreams(Protocol):
    """What Models streams."""

    @streaming_method
    def run_stream(self, part: str, method: str, *args: Any, **options: Any) -> AsyncIterator[Any]: ...


class ModelsHandle(Protocol):
    """See `deployments.shared_models.deployment.Models`."""

    @remote_method
    def run(self, part: str, method: str, *args: Any, **options: Any) -> Any: ...

    def options(self, *, stream: Literal[True]) -> ModelsStreams: ...
