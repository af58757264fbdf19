"""Errors of embedding, indexing, searching and extraction.

RetrievalError
├── UnknownEmbedder  the setting names no weights
├── WrongWeights     the embedder's folder does not hold what it should
├── NoEmbedder       a search by vectors, and no weights are there
├── IndexMismatch    the index holds vectors of another embedder
├── RejectedChunks   chunks or vectors that would spoil the index
├── ExtractionRefused a document or schema is too long for the model, or a schema too wide; `code` says which
└── WriterFailed     a language model gave no answer, or an incomplete one; `code` has the reason
"""

from __future__ import annotations

from typing import Any


class RetrievalError(Exception):
    """The message tells a person what to do."""


class UnknownEmbedder(RetrievalError):
    """The setting names neither a folder of weights nor a model that is on this machine."""


class WrongWeights(RetrievalError):
    """The embedder's folder does not hold what it should; nothing was loaded."""


class NoEmbedder(RetrievalError):
    """Vectors were asked for, and search is full text alone."""


class IndexMismatch(RetrievalError):
    """The index holds vectors of another embedder, or is of another layout: it must be built again."""


class RejectedChunks(RetrievalError):
    """Chunks or vectors that would spoil the index; nothing of them was written."""


class ExtractionRefused(RetrievalError):
    """A document or a schema is too long for the model, or a schema too wide to follow; `code` is stable."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message


class WriterFailed(RetrievalError):
    """A language model wrote nothing, or not all; `code` is stable, and `retryable` says whether it may later."""

    def __init__(self, code: str, message: str, *, retryable: bool = False) -> None:
        super().__init__(code, message, retryable)
        self.code = code
        self.message = message
        self.retryable = retryable

    def __reduce__(self) -> tuple[Any, ...]:  # its arguments are not all positional
        return _again, (self.code, self.message, self.retryable)


def _again(code: str, message: str, retryable: bool) -> WriterFailed:
    return WriterFailed(code, message, retryable=retryable)
