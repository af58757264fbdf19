"""Settings of the models and their defaults: `layout.*`, `ocr.*`, `lm.*`, `answers.*`, `extract.*`, `embedder.*`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, model_validator

from configs.earlier_names import present_route
from configs.settings_group import Group, by_name

Share = Annotated[float, Field(ge=0, le=1)]
ReadersByKind = Annotated[dict[Literal["table", "formula", "figure"], str], BeforeValidator(by_name)]
ClassConfidence = Annotated[dict[str, Share], BeforeValidator(by_name)]


class LayoutSettings(Group):
    """The layout network: DocLayout-YOLO, or an object detector of transformers."""

    model: str = Field(
        default="checkpoints/layout-compact",
        description="folder or hub id of the layout checkpoint; also RT-DETR, PP-DocLayout and others of transformers",
    )
    structure_model: str = Field(
        default="checkpoints/structure-compact",
        description="folder of the network that reads the structure of pages from their lines",
    )
    when: Literal["needed", "always"] = Field(
        default="needed",
        description="pages that the layout network looks at; needed: those with pictures, drawings, other ink without"
        " text, or tables without rules",
    )
    classes: Annotated[dict[str, str], BeforeValidator(by_name)] = Field(
        default={},
        description="overrides how classes of a transformers model map to kinds of region: `Code=figure,Form=none`",
    )
    batch_size: int = Field(default=8, ge=1, description="maximum pages per batch")
    batch_wait_s: float = Field(default=0.01, ge=0, description="seconds an incomplete batch waits for more pages")
    confidence: float | None = Field(
        default=None, ge=0, le=1, description="minimum score of a region; unset: the checkpoint's"
    )
    iou_threshold: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="overlap (IoU) above which the weaker of two regions is dropped; unset: the checkpoint's",
    )
    class_confidence: ClassConfidence = Field(
        default={}, description="minimum score per kind of region, overrides `layout.confidence`: `title=0.3,table=0.2`"
    )
    precision: Literal["float32", "bfloat16", "float16"] = Field(
        default="float32", description="precision of the network's layers; boxes and scores are computed in float32"
    )
    acceleration: Literal["none", "compile", "cuda_graph"] = Field(
        default="none",
        description="DocLayout-YOLO: torch.compile, or CUDA graphs (on a GPU), for batches of 1, 2, 4, 8 ... pages",
    )
    num_threads: int | None = Field(
        default=None,
        ge=1,
        description="pages of a batch that a CPU computes concurrently; unset: the number of cores, up to 8",
    )
    max_ongoing: int = Field(default=64, ge=1, description="maximum pages in one replica, including waiting ones")
    num_gpus: float = Field(default=0, ge=0, description="GPUs (or a part of one) that each replica reserves")


class EngineSettings(Group):
    """An engine with continuous batching, and its device."""

    precision: Literal["auto", "float32", "bfloat16", "float16"] = Field(
        default="auto", description="number format; auto: float32 on a CPU, the checkpoint's own on a GPU"
    )
    quantisation: Literal["none", "int8", "int4", "dynamic_int8"] = Field(
        default="none",
        description="quantises the decoder's matrices, on a CPU: int8 and int4 save memory, dynamic_int8 also time",
    )
    kv_dtype: Literal["model", "fp8"] = Field(
        default="model",
        description="of keys and values; fp8: a quarter of the memory per KV block in float32, half of it in bfloat16",
    )
    gpu_route: Annotated[Literal["torch", "transformers"], BeforeValidator(present_route)] = Field(
        default="torch",
        description="implementation on a GPU; torch: our own, by CUDA graphs and a paged attention kernel where they"
        " work, and the model's own for a model that it cannot run; transformers: the model's own",
    )
    max_running: int = Field(default=32, ge=1, description="maximum sequences per decode step")
    max_waiting: int = Field(default=4096, ge=1, description="maximum waiting sequences")
    num_blocks: int = Field(default=1024, ge=8, description="KV blocks per replica")
    block_size: int = Field(default=16, ge=1, description="tokens per KV block")
    max_step_tokens: int = Field(default=2048, ge=16, description="maximum prefill and decode tokens per step")
    check_idle: bool = Field(
        default=False,
        description="check that no KV block is lost whenever nothing runs; a replica that has lost one is replaced",
    )
    reuse_prefixes: bool = Field(
        default=False, description="reuse the computed prefix of an earlier prompt that begins with the same tokens"
    )
    max_drafts: int = Field(
        default=0,
        ge=0,
        description="tokens guessed from the text so far and verified with the next one; same output; 0: none",
    )
    max_tokens: int = Field(
        default=4096,
        ge=1,
        description="maximum tokens that a sequence may generate; a checkpoint may set a lower limit",
    )
    num_gpus: float = Field(default=0, ge=0, description="GPUs (or a part of one) that each replica reserves")

    def route_on(self, device: str) -> Literal["auto", "transformers"]:
        """The `route` of the loaders. "auto" is torch on a GPU, and falls back for a model that it cannot run."""
        return "transformers" if device != "cpu" and self.gpu_route == "transformers" else "auto"


class OcrSettings(EngineSettings):
    """The OCR engine: GOT-OCR2 or any image-text model, with continuous batching."""

    model: str = Field(default="checkpoints/ocr-compact", description="folder or hub id of the OCR checkpoint")
    profile: str | None = Field(
        default=None,
        description="prompts and answer formats of an image-text model other than GOT-OCR2; unset: those of its family",
    )
    readers: ReadersByKind = Field(
        default={}, description="other checkpoints for regions of a kind: `table=...,formula=...,figure=...`"
    )
    dpi: int = Field(default=144, ge=50, le=600, description="resolution at which regions are drawn for OCR")
    vision_budget_mb: int | None = Field(
        default=None,
        ge=1,
        description="maximum MB of scratch memory per pass of the vision encoder; unset: 384 on a CPU, 2048 on a GPU",
    )
    vision_threads: int | None = Field(
        default=None,
        ge=1,
        description="GOT-OCR2: pictures of a step that a CPU encodes concurrently; unset: the number of cores, up to 8",
    )
    warning_confidence: float = Field(
        default=0.7,
        ge=0,
        le=1,
        description="mean confidence of a region below which it gets the warning `low_confidence`;"
        " formerly `low_confidence`",
    )
    min_word_confidence: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="confidence below which a word is `unreadable` and left out of the text; 0: none is;"
        " unset: what the checkpoint says (`confidence.json`), else 0.45; formerly `least_confidence`",
    )
    second_reader: Literal["none", "tesseract"] = Field(
        default="none",
        description="also reads lines below `warning_confidence`; the surer reading is kept;"
        " tesseract must be installed",
    )
    prove_digits: bool = Field(
        default=True,
        description="read lines with digits again, and mark with [?] what no further look confirms;"
        " costs up to one more reading of these lines",
    )
    partial_results_s: float = Field(
        default=0.3,
        ge=0,
        description="interval between partial results of a page in OCR, in seconds; 0: none; formerly `glimpse_s`",
    )
    max_ongoing: int = Field(
        default=64, ge=1, description="maximum calls in one replica, and regions of pages that it reads at once"
    )


class LmSettings(EngineSettings):
    """An optional language model in this server: /inference, and answers if `answers.url` is unset."""

    model: str | None = Field(default=None, description="folder or hub id of a causal language model; unset: none")
    mode: Literal["none", "static", "continuous"] = Field(
        default="continuous", description="how requests share steps; none and static exist for comparison"
    )
    steady_decoding: bool = Field(
        default=True,
        description="on a CPU, compute prompts in small parts while answers are written: evenly spaced tokens,"
        " for up to a tenth fewer tokens per second and later first tokens; no effect on a GPU",
    )


class AnswerSettings(Group):
    """Answers that a language model writes from passages, if a query requests one."""

    url: str | None = Field(
        default=None, description="OpenAI-compatible server, as in `https://host/v1`; unset: `lm.model` writes"
    )
    model: str | None = Field(default=None, description="name of the model at `answers.url`")
    key_variable: str | None = Field(
        default=None, description="name of the environment variable that holds its API key; unset: none is sent"
    )
    timeout_s: float = Field(default=120, gt=0, description="maximum seconds per answer")
    max_tokens: int = Field(default=512, ge=1, description="maximum tokens of an answer")
    prompt_tokens: int = Field(
        default=3000, ge=300, description="maximum tokens of question and passages; the best passages go in first"
    )
    least_cosine: float | None = Field(
        default=0.2, ge=0, le=1, description="minimum cosine of the best passage for an answer; unset: no limit"
    )

    @model_validator(mode="after")
    def _names_a_model(self) -> AnswerSettings:
        if self.url is None:
            return self
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("answers.url must be an http:// or https:// URL")
        if parts.username or parts.password or parts.query:
            raise ValueError("answers.url must hold no password and no query: name answers.key_variable instead")
        if self.model is None:
            raise ValueError("answers.url needs answers.model")
        return self


class ExtractSettings(Group):
    """Extraction of a schema's values from documents, by the model of `answers.url`, else by `lm.model`."""

    schemas: Path | None = Field(
        default=None, description="folder of named JSON schemas: `invoice.json` is the schema `invoice`; unset: none"
    )
    prompt_tokens: int = Field(
        default=6000,
        ge=300,
        description="maximum tokens of a prompt; a longer document is extracted field by field",
    )
    max_tokens: int = Field(default=2048, ge=1, description="maximum tokens of JSON per call of the model")
    max_running: int = Field(default=4, ge=1, description="maximum concurrent stored extractions; others wait")
    max_calls: int = Field(default=64, ge=1, description="maximum calls of the model per document (422)")


class EmbedderSettings(Group):
    """Vectors of chunks and queries."""

    model: str | None = Field(
        default="all-MiniLM-L6-v2",
        description="folder, or name of a sentence-transformers model on this machine; null: full-text search only",
    )
    batch_tokens: int = Field(default=2048, ge=1, description="maximum tokens per batch, padding included")
