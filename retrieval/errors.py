"""Why something could not be embedded or indexed.

RetrievalError
├── UnknownEmbedder  the setting names no weights
├── WrongWeights     the embedder's folder does not hold what it should
├── IndexMismatch    the index holds vectors of another embedder
└── RejectedChunks   chunks or vectors that would spoil the index
"""

from __future__ import annotations


class RetrievalError(Exception):
    """The message tells a person what to do."""


class UnknownEmbedder(RetrievalError):
    """The setting names neither a folder of weights nor the model of the installed package."""


class WrongWeights(RetrievalError):
    """The embedder's folder does not hold what it should; nothing was loaded."""


class IndexMismatch(RetrievalError):
    """The index holds vectors of another embedder: it must be built anew from the documents."""


class RejectedChunks(RetrievalError):
    """Chunks or vectors that would spoil the index; nothing of them was written."""
