"""Errors of embedding, indexing, searching and extraction; `deployments.errors` draws those that clients see."""

from __future__ import annotations

from http import HTTPStatus

from documents.errors import Refusal


class UnknownEmbedder(Exception):
    """The setting names neither a folder of weights nor a model that is on this machine."""


class WrongWeights(Exception):
    """The embedder's folder does not hold what it should; nothing was loaded."""


class RejectedChunks(Exception):
    """Chunks or vectors that would spoil the index; nothing of them was written."""


class NoEmbedder(Refusal):
    """Vectors are requested, and search is full text alone."""

    status = HTTPStatus.CONFLICT
    code = "no_embedder"


class IndexMismatch(Refusal):
    """The index holds vectors of another embedder, or is of another layout: it must be built again."""

    status = HTTPStatus.CONFLICT
    code = "reindex_required"


class ExtractionRefused(Refusal):
    """A document or a schema is too long for the model, or a schema too wide to follow; `code` says which."""


class WriterFailed(Refusal):
    """A language model wrote nothing, or not all; `code` says why, and `retryable` whether it may write later."""

    status = HTTPStatus.BAD_GATEWAY


class WriterBusy(WriterFailed):
    """A language model, or what checks its output, has no room now."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "writer_busy"
    retryable = True
