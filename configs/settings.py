"""Every setting of Pagemill, with its default and its meaning; an unknown key is refused with the nearest right one."""

from __future__ import annotations

import difflib
import ipaddress
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

HOME = Path(__file__).resolve().parents[1]
SAFE_COSINE = 0.97  # lower, and near misses get each other's results: docs/retrieval.md


class Group(BaseModel):
    """Frozen; knows exactly its own keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_keys(cls, given: Any) -> Any:
        if isinstance(given, Mapping):
            for key in map(str, given):  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
                if key not in cls.model_fields:
                    near = difflib.get_close_matches(key, cls.model_fields, n=1, cutoff=0.0)[0]
                    raise ValueError(f"unknown setting {key!r}; the nearest is {near!r}")
        return given  # pyright: ignore[reportUnknownVariableType]


def _by_name(given: Any) -> Any:
    """`title=0.3,table=0.2`, as an option or a variable says it; anything else is left as it is."""
    if not isinstance(given, str):
        return {} if given is None else given
    parts = [part.partition("=") for part in given.split(",") if part.strip()]
    return {kind.strip(): least.strip() for kind, _, least in parts}


Share = Annotated[float, Field(ge=0, le=1)]
ClassConfidence = Annotated[dict[str, Share], BeforeValidator(_by_name)]


class LayoutSettings(Group):
    """The layout network, DocLayout-YOLO."""

    model: str = Field(default="checkpoints/layout-compact", description="folder or hub id of the layout checkpoint")
    batch_size: int = Field(default=8, ge=1, description="pages a batch at most")
    batch_wait_s: float = Field(default=0.01, ge=0, description="seconds an incomplete batch waits for more pages")
    confidence: float | None = Field(
        default=None, ge=0, le=1, description="least score of a region; unset: the checkpoint's"
    )
    iou_threshold: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="overlap above which the weaker of two regions goes; unset: the checkpoint's",
    )
    class_confidence: ClassConfidence = Field(
        default={}, description="least score of regions of one kind, over the others: `title=0.3,table=0.2`"
    )
    precision: Literal["float32", "bfloat16", "float16"] = Field(
        default="float32", description="of the network's layers; boxes and scores are always worked out in float32"
    )
    acceleration: Literal["none", "compile", "cuda_graph"] = Field(
        default="none", description="torch.compile, or CUDA graphs (GPU only), for batches of 1, 2, 4, 8 ... pages"
    )
    num_threads: int | None = Field(
        default=None, ge=1, description="pages that one batch works on at once on a CPU; unset: the cores, 8 at most"
    )
    max_ongoing: int = Field(default=64, ge=1, description="pages that one replica takes on, waiting ones too")
    num_gpus: float = Field(default=0, ge=0, description="GPUs (or a part of one) that each replica reserves")


class OcrSettings(Group):
    """The OCR engine, GOT-OCR2 with continuous batching."""

    model: str = Field(default="checkpoints/ocr-compact", description="folder or hub id of the OCR checkpoint")
    precision: Literal["auto", "float32", "bfloat16", "float16"] = Field(
        default="auto", description="of the numbers; auto: float32 on a CPU, the checkpoint's own on a GPU"
    )
    gpu_route: Literal["safe", "fast", "graphs"] = Field(
        default="safe", description="how a GPU decodes; graphs: CUDA graphs and a paged attention kernel"
    )
    dpi: int = Field(default=144, ge=50, le=600, description="resolution at which regions are drawn for reading")
    max_running: int = Field(default=32, ge=1, description="sequences that share a decode step at most")
    max_waiting: int = Field(default=4096, ge=1, description="sequences that wait for a place at most")
    num_blocks: int = Field(default=1024, ge=8, description="KV blocks in the pool of a replica")
    block_size: int = Field(default=16, ge=1, description="tokens a KV block")
    max_step_tokens: int = Field(default=2048, ge=16, description="tokens of prefill and decode in one step at most")
    max_tokens: int = Field(
        default=4096, ge=1, description="tokens a sequence may give; a checkpoint may set a lower limit"
    )
    max_ongoing: int = Field(default=64, ge=1, description="regions that one replica takes on, waiting ones too")
    num_gpus: float = Field(default=0, ge=0, description="GPUs (or a part of one) that each replica reserves")


class EmbedderSettings(Group):
    """Vectors of chunks and queries."""

    model: str | None = Field(
        default="all-MiniLM-L6-v2",
        description="folder, or name of a sentence-transformers model that is on this machine; null: full text alone",
    )
    batch_tokens: int = Field(default=2048, ge=1, description="tokens of a batch at most, padding counted")


class IndexSettings(Group):
    """Where chunks are kept, and how they are kept in order."""

    uri: str | None = Field(default=None, description="folder, or s3://, gs://, az:// URL; unset: in the data folder")
    storage_options: Annotated[dict[str, str], BeforeValidator(_by_name)] = Field(
        default={},
        description="of the object storage: `endpoint=...,region=...`; keys are better left to AWS_* and such",
    )
    consistency_s: float = Field(
        default=0, ge=0, description="seconds that a search may be behind what others wrote; 1 to 5 on object storage"
    )
    cache_mb: int = Field(default=256, ge=16, description="MB of the index that are kept in memory at most")
    tidy_commits: int = Field(default=20, ge=1, description="commits after which the index is tidied up")
    tidy_s: float = Field(default=60, gt=0, description="seconds after a commit when it is tidied up at the latest")
    vector_rows: int = Field(default=50_000, ge=1000, description="chunks from which on a vector index is built")


class SearchSettings(Group):
    """What makes searches and bulk ingestion faster; each alone, or all by one switch."""

    optimized: bool | None = Field(
        default=None, description="true: all that follows is on, false: off, where not set itself; unset: as measured"
    )
    cache: bool | None = Field(
        default=None, description="keep results of queries; unset: on, unless `optimized` is off"
    )
    cache_entries: int = Field(default=1000, ge=1, description="results that are kept at most")
    semantic_threshold: float | None = Field(
        default=None, gt=0, le=1, description="cosine from which on a query gets another one's result; unset: never, or"
        " 0.97 where `optimized` is on"
    )  # fmt: skip
    lookahead: bool | None = Field(
        default=None, description="search for a session's likely next queries while the server is idle; unset: off"
    )
    lookahead_window: int = Field(default=3, ge=1, le=10, description="queries that are looked ahead for")
    prefetch: bool | None = Field(default=None, description="embed queries that come together as one batch; unset: on")
    prefetch_batch: int = Field(default=8, ge=1, description="queries of such a batch at most")
    prefetch_wait_s: float = Field(default=0.005, ge=0, description="seconds that a query waits for others")
    loader: bool | None = Field(
        default=None, description="read ahead when the index is built anew or filled in bulk; unset: on"
    )
    loader_batches: int = Field(default=2, ge=1, description="batches that are read ahead")

    @property
    def caches(self) -> bool:
        return self._chosen(self.cache, default=True)

    @property
    def prefetches(self) -> bool:
        return self._chosen(self.prefetch, default=True)

    @property
    def looks_ahead(self) -> bool:
        return self._chosen(self.lookahead, default=False)

    @property
    def ahead(self) -> int:
        """Batches that the loader reads ahead; 0: none."""
        return self.loader_batches if self._chosen(self.loader, default=True) else 0

    @property
    def least_cosine(self) -> float | None:
        """From which on a query gets another one's result; None: never."""
        return self.semantic_threshold or (SAFE_COSINE if self.optimized else None)

    def _chosen(self, own: bool | None, *, default: bool) -> bool:
        return own if own is not None else default if self.optimized is None else self.optimized


class RendererSettings(Group):
    """The child processes that open outside bytes."""

    num_children: int = Field(default=2, ge=1, description="child processes of the renderer")
    page_timeout_s: float = Field(
        default=60, gt=0, description="seconds that one page may take to open, inspect or draw"
    )
    page_cpu_s: float = Field(default=20, gt=0, description="seconds of processor time that one such call may take")
    memory_mb: int = Field(default=1500, ge=256, description="address space of a child in MB")
    retire_mb: int = Field(default=300, ge=100, description="resident MB above which a child is replaced after a call")
    max_pixels: int = Field(default=100_000_000, ge=10_000, description="pixels of a picture at most")
    documents_per_child: int = Field(default=100, ge=1, description="documents after which a child is replaced")


class LimitSettings(Group):
    """What the server takes on."""

    max_file_mb: float = Field(default=200, gt=0, description="megabytes of a file at most (413)")
    max_pages: int = Field(default=2000, ge=1, description="pages of a document at most (413)")
    max_layout_pages: int = Field(
        default=200, ge=1, description="pages that one call of /v1/layout or /doc_layout looks at (413 beyond)"
    )
    max_uploads: int = Field(default=16, ge=1, description="uploads read at once (503 beyond)")
    max_requests: int = Field(default=1000, ge=1, description="requests answered at once (503 beyond)")
    max_body_kb: int = Field(default=1000, ge=1, description="kilobytes of a body that is no upload at most (413)")
    max_queued_jobs: int = Field(default=1000, ge=1, description="unfinished jobs at most (503 beyond)")
    max_pages_in_flight: int = Field(default=8, ge=1, description="pages in the pipeline at once")
    page_attempts: int = Field(
        default=3, ge=1, description="tries at a page whose replica died before it counts as failed"
    )
    page_deadline_s: float = Field(
        default=600, gt=0, description="seconds that one page may take in all before it fails"
    )
    lease_s: float = Field(
        default=10, gt=0, description="seconds after which a server that died no longer owns the jobs"
    )
    retention_days: float | None = Field(
        default=None, gt=0, description="days after which a document is removed; unset: never"
    )
    heartbeat_s: float = Field(default=10, gt=0, description="seconds between signs of life in a stream of events")
    wait_s: float = Field(default=120, ge=0, description="longest ?wait= in seconds")
    shutdown_s: float = Field(
        default=5, ge=0, description="seconds that replicas may take to finish their calls when stopped"
    )


class Settings(Group):
    """All settings of one server."""

    host: str = Field(default="127.0.0.1", description="address to listen on")
    port: int = Field(default=8000, ge=1, le=65535, description="port to listen on")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO", description="least level that is logged"
    )
    log_format: Literal["TEXT", "JSON"] = Field(
        default="TEXT", description="of the log's lines; JSON: with request, job and page ids as fields"
    )
    data_dir: Path = Field(default=Path("data"), description="folder of the database, the blobs and the index")
    database_url: str | None = Field(
        default=None, description="SQLAlchemy URL of the jobs; unset: SQLite in the data folder"
    )
    keys_file: Path | None = Field(
        default=None, description="file of API keys (`pagemill key` makes one); unset: no key is needed"
    )
    public_without_keys: bool = Field(
        default=False, description="let the server listen on other addresses than loopback without API keys"
    )
    device: str = Field(default="auto", description="auto, cpu or cuda")
    layout: LayoutSettings = LayoutSettings()
    ocr: OcrSettings = OcrSettings()
    embedder: EmbedderSettings = EmbedderSettings()
    index: IndexSettings = IndexSettings()
    search: SearchSettings = SearchSettings()
    renderer: RendererSettings = RendererSettings()
    limits: LimitSettings = LimitSettings()

    def check_exposure(self, host: str) -> None:
        """Raises ValueError if everybody who reaches `host` could do everything, and nobody has asked for that."""
        if self.keys_file is None and not self.public_without_keys and not is_loopback(host):
            raise ValueError(
                f"{host} can be reached from outside and no API keys are set: set keys_file, or public_without_keys"
            )

    @property
    def blob_dir(self) -> Path:
        """Where uploads lie under their SHA-256."""
        return self.data_dir / "blobs"

    @property
    def index_uri(self) -> str:
        """Where LanceDB keeps the chunks."""
        return self.index.uri or str(self.data_dir / "index")

    @property
    def jobs_url(self) -> str:
        """The SQLAlchemy URL of the job database."""
        return self.database_url or f"sqlite:///{self.data_dir / 'jobs.sqlite'}"


def is_loopback(host: str) -> bool:
    """Whether only this machine can connect to `host`, a name or an address."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def checkpoint_path(name: str) -> str:
    """A checkpoint's folder, also when it is named relative to the project, else the name (a hub id) as it is."""
    for candidate in (Path(name), HOME / name):
        if candidate.exists():
            return str(candidate.resolve())
    return name
