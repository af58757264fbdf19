"""Why something could not be embedded, indexed or searched.

RetrievalError
├── UnknownEmbedder  the setting names no weights
├── WrongWeights     the embedder's folder does not hold what it should
├── NoEmbedder       a search by vectors, and no weights are there
├── IndexMismatch    the index holds vectors of another embedder
└── RejectedChunks   chunks or vectors that would spoil the index
"""

from __future__ import annotations


class RetrievalError(Exception):
    """The message tells a person what to do."""


class UnknownEmbedder(RetrievalError):
    """The setting names neither a folder of weights nor a model that is on this machine."""


class WrongWeights(RetrievalError):
    """The embedder's folder does not hold what it should; nothing was loaded."""


class NoEmbedder(RetrievalError):
    """Vectors were asked for, and search is full text alone."""


class IndexMismatch(RetrievalError):
    """The index holds vectors of another embedder, or is of another layout: it must be built anew."""


class RejectedChunks(RetrievalError):
    """Chunks or vectors that would spoil the index; nothing of them was written."""
