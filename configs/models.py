"""Settings of the models: layout, OCR, language model, embedder, and who writes answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, model_validator

from configs.group import Group, by_name

Share = Annotated[float, Field(ge=0, le=1)]
ReadersByKind = Annotated[dict[Literal["table", "formula", "figure"], str], BeforeValidator(by_name)]
ClassConfidence = Annotated[dict[str, Share], BeforeValidator(by_name)]


class LayoutSettings(Group):
    """The layout network: DocLayout-YOLO, or an object detector of transformers."""

    model: str = Field(
        default="checkpoints/layout-compact",
        description="folder or hub id of the layout checkpoint; also of transformers: RT-DETR, PP-DocLayout and others",
    )
    classes: Annotated[dict[str, str], BeforeValidator(by_name)] = Field(
        default={},
        description="kinds of region of a transformers model's classes, over those known: `Code=figure,Form=none`",
    )
    reading_order: bool = Field(
        default=True, description="let the order that a network gives vote beside our own (PP-DocLayoutV2 and later)"
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
        description="overlap above which the weaker of two regions goes; unset: the checkpoint's",
    )
    class_confidence: ClassConfidence = Field(
        default={}, description="minimum score per kind of region, instead of the general one: `title=0.3,table=0.2`"
    )
    precision: Literal["float32", "bfloat16", "float16"] = Field(
        default="float32", description="of the network's layers; boxes and scores are worked out in float32"
    )
    acceleration: Literal["none", "compile", "cuda_graph"] = Field(
        default="none",
        description="of DocLayout-YOLO: torch.compile, or CUDA graphs (GPU only), for batches of 1, 2, 4, 8 ... pages",
    )
    num_threads: int | None = Field(
        default=None,
        ge=1,
        description="pages that one batch works on at once on a CPU; unset: the number of cores, up to 8",
    )
    max_ongoing: int = Field(default=64, ge=1, description="pages that one replica takes on, waiting ones too")
    num_gpus: float = Field(default=0, ge=0, description="GPUs (or a part of one) that each replica reserves")


class EngineSettings(Group):
    """An engine with continuous batching, and what it runs on."""

    precision: Literal["auto", "float32", "bfloat16", "float16"] = Field(
        default="auto", description="of the numbers; auto: float32 on a CPU, the checkpoint's own on a GPU"
    )
    quantisation: Literal["none", "int8", "int4", "dynamic_int8"] = Field(
        default="none",
        description="of the decoder's matrices, on a CPU: int8 and int4 save memory, dynamic_int8 time too",
    )
    kv_dtype: Literal["model", "fp8"] = Field(
        default="model",
        description="of keys and values; fp8: a quarter of the memory per KV block in float32, half of it in bfloat16",
    )
    gpu_route: Literal["safe", "fast", "graphs"] = Field(
        default="safe", description="how a GPU decodes; graphs: CUDA graphs and a paged attention kernel"
    )
    max_running: int = Field(default=32, ge=1, description="maximum sequences per decode step")
    max_waiting: int = Field(default=4096, ge=1, description="maximum sequences that wait for a place")
    num_blocks: int = Field(default=1024, ge=8, description="KV blocks in the pool of a replica")
    block_size: int = Field(default=16, ge=1, description="tokens per KV block")
    max_step_tokens: int = Field(default=2048, ge=16, description="maximum prefill and decode tokens per step")
    reuse_prefixes: bool = Field(
        default=False, description="a prompt that begins as an earlier one did is not computed again up to there"
    )
    max_drafts: int = Field(
        default=0,
        ge=0,
        description="tokens guessed from a text so far and verified with its next one; no text changes; 0: none",
    )
    max_tokens: int = Field(
        default=4096,
        ge=1,
        description="maximum tokens that a sequence may generate; a checkpoint may set a lower limit",
    )
    num_gpus: float = Field(default=0, ge=0, description="GPUs (or a part of one) that each replica reserves")


class OcrSettings(EngineSettings):
    """The OCR engine: GOT-OCR2 or any image-text model, with continuous batching."""

    model: str = Field(default="checkpoints/ocr-compact", description="folder or hub id of the OCR checkpoint")
    profile: str | None = Field(
        default=None,
        description="prompts and answer forms of an image-text model other than GOT-OCR2; unset: those of its family",
    )
    readers: ReadersByKind = Field(
        default={}, description="other checkpoints for regions of a kind: `table=...,formula=...,figure=...`"
    )
    dpi: int = Field(
        default=144, ge=50, le=600, description="resolution at which regions of pages are drawn for reading"
    )
    vision_budget_mb: int | None = Field(
        default=None,
        ge=1,
        description="MB of scratch that a pass of the vision encoder may take; unset: 384 on a CPU, 2048 on a GPU",
    )
    low_confidence: float = Field(
        default=0.7,
        ge=0,
        le=1,
        description="confidence of its words below which a region gets the warning `low_confidence`",
    )
    least_confidence: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="confidence below which a word is `unreadable`: a guess in the result, no text; 0: all is text;"
        " unset: what the checkpoint says (`confidence.json`), else 0.45",
    )
    second_reader: Literal["none", "tesseract"] = Field(
        default="none",
        description="reads lines below `low_confidence`, too, and the surer one is kept; tesseract must be installed",
    )
    glimpse_s: float = Field(
        default=0.3, ge=0, description="interval between OCR progress updates, in seconds; 0: none"
    )
    max_ongoing: int = Field(default=64, ge=1, description="regions that one replica takes on, waiting ones too")


class LmSettings(EngineSettings):
    """An optional language model of our own: /inference, and answers where `answers.url` names no other."""

    model: str | None = Field(default=None, description="folder or hub id of a causal language model; unset: none")
    mode: Literal["none", "static", "continuous"] = Field(
        default="continuous", description="how requests share steps; none and static are there to be compared with"
    )
    steady_decoding: bool = Field(
        default=True,
        description="on a CPU, prompts are computed in small parts beside answers that are being written: these come in"
        " even steps, for up to a tenth fewer tokens per second and later first tokens; on a GPU it does nothing",
    )


class AnswerSettings(Group):
    """Answers that are written from passages, where a query asks for them."""

    url: str | None = Field(
        default=None, description="of an OpenAI-compatible server, as in `https://host/v1`; unset: `lm.model` writes"
    )
    model: str | None = Field(default=None, description="name of the model there")
    key_variable: str | None = Field(
        default=None, description="name of the environment variable that holds its API key; unset: none is sent"
    )
    timeout_s: float = Field(default=120, gt=0, description="seconds that such an answer may take")
    max_tokens: int = Field(default=512, ge=1, description="maximum tokens of an answer")
    prompt_tokens: int = Field(
        default=3000, ge=300, description="maximum tokens of question and passages; the best passages go in first"
    )
    least_cosine: float | None = Field(
        default=0.2, ge=0, le=1, description="of the best passage, below which nothing is written; unset: no bound"
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
    """Values of a schema from documents, written by the model of `answers.url`, else by `lm.model`."""

    schemas: Path | None = Field(
        default=None, description="folder of named JSON schemas: `invoice.json` is the schema `invoice`; unset: none"
    )
    prompt_tokens: int = Field(
        default=6000,
        ge=300,
        description="maximum tokens of a prompt; for a longer document each field has calls of its own",
    )
    max_tokens: int = Field(default=2048, ge=1, description="maximum tokens of JSON that one call of the model writes")
    max_running: int = Field(default=4, ge=1, description="maximum stored extractions that run at once; others wait")
    max_calls: int = Field(default=64, ge=1, description="maximum calls of the model for one document (422 beyond)")


class EmbedderSettings(Group):
    """Vectors of chunks and queries."""

    model: str | None = Field(
        default="all-MiniLM-L6-v2",
        description="folder, or name of a sentence-transformers model that is on this machine; null: full text alone",
    )
    batch_tokens: int = Field(default=2048, ge=1, description="maximum tokens per batch, padding included")
