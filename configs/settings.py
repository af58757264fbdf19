"""Every setting with its default and description: server, limits, index, search, renderer, facades."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, field_validator, model_validator

from configs.earlier_names import with_present_names
from configs.model_settings import (
    AnswerSettings,
    EmbedderSettings,
    ExtractSettings,
    LayoutSettings,
    LmSettings,
    OcrSettings,
)
from configs.outbound_settings import SourceSettings, WebhookSettings
from configs.settings_group import Group, names
from configs.storage_settings import BlobSettings, IndexSettings

HOME = Path(__file__).resolve().parents[1]
Facade = Literal["docling", "openai", "mcp", "earlier", "open_webui", "mineru", "dify"]
ALL_FACADES: tuple[Facade, ...] = get_args(Facade)


class SearchSettings(Group):
    """Optimisations of search and bulk ingestion, each with its own setting and one for all."""

    optimized: bool | None = Field(
        default=None, description="true: all below are on, false: off, unless set themselves; unset: their defaults"
    )
    cache: bool | None = Field(
        default=None, description="keep results of queries; unset: on, unless `optimized` is off"
    )
    cache_entries: int = Field(default=1000, ge=1, description="maximum number of cached results")
    prefetch: bool | None = Field(default=None, description="embed concurrent queries as one batch; unset: on")
    prefetch_batch: int = Field(default=8, ge=1, description="maximum queries per such batch")
    prefetch_wait_s: float = Field(default=0.005, ge=0, description="seconds that a query waits for others")
    loader: bool | None = Field(
        default=None, description="read ahead when the index is rebuilt or filled in bulk; unset: on"
    )
    loader_batches: int = Field(default=2, ge=1, description="batches that are read ahead")

    @property
    def caches(self) -> bool:
        return self._chosen(self.cache, default=True)

    @property
    def prefetches(self) -> bool:
        return self._chosen(self.prefetch, default=True)

    @property
    def ahead(self) -> int:
        """Batches that the loader reads ahead; 0: none."""
        return self.loader_batches if self._chosen(self.loader, default=True) else 0

    def _chosen(self, own: bool | None, *, default: bool) -> bool:
        return own if own is not None else default if self.optimized is None else self.optimized


class RendererSettings(Group):
    """The child processes that parse uploaded files."""

    num_children: int = Field(
        default=3,
        ge=1,
        description="child processes of the renderer; of several, all but one draw at a time, "
        "so that no page waits for its structure behind drawings",
    )
    page_timeout_s: float = Field(
        default=60,
        gt=0,
        description="seconds that one page may take to open, inspect, draw or compose, a crop to be cut",
    )
    page_cpu_s: float = Field(
        default=20,
        gt=0,
        description="seconds of CPU time that one such call may take",
    )
    memory_mb: int = Field(default=1500, ge=256, description="address space of a child in MB")
    retire_mb: int = Field(default=300, ge=100, description="resident MB above which a child is replaced after a call")
    max_pixels: int = Field(default=100_000_000, ge=10_000, description="maximum pixels of a picture")
    documents_per_child: int = Field(default=100, ge=1, description="documents after which a child is replaced")
    libreoffice: bool = Field(
        default=False, description="print DOCX, ODT, PPTX and ODP by LibreOffice, so that their places have boxes"
    )
    print_timeout_s: float = Field(default=60, gt=0, description="seconds that LibreOffice may take to print one file")
    print_memory_mb: int = Field(default=3000, ge=1000, description="address space of LibreOffice in MB")
    structure_trees: bool = Field(
        default=True, description="use the structure tree of tagged PDFs as evidence, if it agrees with the page"
    )


class LimitSettings(Group):
    """Limits of the server."""

    max_file_mb: float = Field(default=200, gt=0, description="maximum megabytes of a file (413)")
    max_pages: int = Field(default=2000, ge=1, description="maximum pages of a document (413)")
    max_result_mb: float = Field(
        default=256, gt=0, description="maximum megabytes of a document's pages as JSON; further pages fail (422)"
    )
    max_layout_pages: int = Field(
        default=200, ge=1, description="maximum pages per call of /v1/layout or /doc_layout (413)"
    )
    max_uploads: int = Field(
        default=16, ge=1, description="maximum concurrent uploads, plus one per API key that has none; others wait"
    )
    admission_wait_s: float = Field(
        default=60, ge=0, description="seconds that a call waits for a free slot before it is refused (503)"
    )
    min_upload_kb_s: float = Field(
        default=1, gt=0, description="minimum average upload rate of a body, in kilobytes per second, after 30 s (408)"
    )
    max_upload_s: float = Field(default=3600, gt=0, description="seconds that a body may take to arrive (408)")
    max_requests: int = Field(default=1000, ge=1, description="maximum concurrent requests (503)")
    max_pictures: int = Field(
        default=64,
        ge=1,
        description="maximum concurrent OCR and layout calls without a job, plus one per API key; others wait",
    )
    max_body_kb: int = Field(default=1000, ge=1, description="maximum kilobytes of a body that is not an upload (413)")
    max_queued_jobs: int = Field(default=1000, ge=1, description="maximum unfinished jobs of each shard (503)")
    max_pages_in_flight: int = Field(default=8, ge=1, description="maximum pages in the pipeline, of each shard")
    page_attempts: int = Field(
        default=3, ge=1, description="attempts at a page whose replica dies, before the page fails"
    )
    page_deadline_s: float = Field(default=600, gt=0, description="maximum total seconds per page; a slower page fails")
    lease_s: float = Field(
        default=10, gt=0, description="seconds after which another server takes over the jobs of one that died"
    )
    retention_days: float | None = Field(
        default=None, gt=0, description="days after which a document is deleted; unset: never"
    )
    heartbeat_s: float = Field(default=10, gt=0, description="keep-alive interval of event streams, in seconds")
    wait_s: float = Field(default=120, ge=0, description="maximum value of ?wait= (seconds)")
    loop_stall_s: float = Field(
        default=30,
        ge=1,
        description="seconds that the event loop of Ingress, Jobs, Pipeline, Renderer or Search may stand still before"
        " its process is replaced",
    )
    shutdown_s: float = Field(
        default=5, ge=0, description="seconds that replicas may take to finish their calls when stopped"
    )


class Settings(Group):
    """All settings of one server."""

    host: str = Field(default="127.0.0.1", description="address to listen on")
    port: int = Field(default=8000, ge=1, le=65535, description="port to listen on")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(default="INFO", description="minimum log level")
    log_format: Literal["TEXT", "JSON"] = Field(
        default="TEXT", description="log line format; JSON has request, job and page ids as fields"
    )
    data_dir: Path = Field(default=Path("data"), description="folder of the database, the blobs and the index")
    database_url: str | None = Field(
        default=None, description="SQLAlchemy URL of the job database; unset: SQLite in the data folder"
    )
    shards: int = Field(
        default=1,
        ge=1,
        le=100,
        description="owners of jobs, each with tables of its own in the database and the index: for more than 300 pages"
        " per second; may grow, never shrink; more than 1 need PostgreSQL",
    )
    keys_file: Path | None = Field(
        default=None, description="file of API keys (`pagemill key` creates them); unset: no key is required"
    )
    public_without_keys: bool = Field(
        default=False, description="allow listening on addresses other than loopback without API keys"
    )
    public_url: str | None = Field(
        default=None,
        description="address under which browsers reach this server, for links in answers: `https://pages.example`;"
        " unset: the host that the request names",
    )
    facades: Annotated[tuple[Facade, ...], BeforeValidator(names)] = Field(
        default=ALL_FACADES, description="APIs of other servers that are answered here; the paths of others are 404"
    )
    memory_threshold: float | None = Field(
        default=None,
        gt=0,
        le=1,
        description="share of the machine's memory, or the container's, in use from which Ray ends processes of ours,"
        " the newest first; unset: never, and the kernel ends a model first when none is left",
    )
    ray_dashboard: bool = Field(
        default=False,
        description="start all of Ray's dashboard, with its web page; off: only what jobs and metrics need",
    )
    ray_api: bool = Field(
        default=True,
        description="run what answers `ray job submit`, `serve deploy` and `--reload`; off: 150 MB less",
    )
    shared_models: bool = Field(
        default=False,
        description="run layout, OCR and embedder in one process, to save memory; one replica of each",
    )
    device: str = Field(default="auto", description="auto, cpu or cuda")
    layout: LayoutSettings = LayoutSettings()
    ocr: OcrSettings = OcrSettings()
    lm: LmSettings = LmSettings()
    answers: AnswerSettings = AnswerSettings()
    extract: ExtractSettings = ExtractSettings()
    embedder: EmbedderSettings = EmbedderSettings()
    index: IndexSettings = IndexSettings()
    blobs: BlobSettings = BlobSettings()
    search: SearchSettings = SearchSettings()
    renderer: RendererSettings = RendererSettings()
    sources: SourceSettings = SourceSettings()
    webhooks: WebhookSettings = WebhookSettings()
    limits: LimitSettings = LimitSettings()

    @model_validator(mode="before")
    @classmethod
    def _take_earlier_names(cls, values: Any) -> Any:
        return with_present_names(values) if isinstance(values, Mapping) else values  # pyright: ignore[reportUnknownArgumentType]

    @field_validator("public_url")
    @classmethod
    def _is_web_address(cls, value: str | None) -> str | None:
        """Without the slash at its end."""
        if value is None:
            return None
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError("public_url must be an http:// or https:// address, without ? and #")
        return value.rstrip("/")

    @model_validator(mode="after")
    def _have_tables_for_shards(self) -> Settings:
        if self.shards > 1 and not (self.database_url or "").startswith("postgresql"):
            raise ValueError("shards: more than 1 need PostgreSQL, see database_url")
        return self

    def check_exposure(self, host: str) -> None:
        """Raises ValueError if the server would listen on a public `host` without keys or `public_without_keys`."""
        if self.keys_file is None and not self.public_without_keys and not is_loopback(host):
            raise ValueError(
                f"{host} can be reached from outside and no API keys are set: set keys_file, or public_without_keys"
            )

    @property
    def blob_dir(self) -> Path:
        """The folder of uploads, named by their SHA-256, where they are in no bucket."""
        return self.data_dir / "blobs"

    @property
    def blob_cache_dir(self) -> Path:
        """The folder in which renderers keep uploads of the bucket for a while."""
        return self.data_dir / "blob_cache"

    @property
    def index_uri(self) -> str:
        """The folder or URL of the LanceDB index."""
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
