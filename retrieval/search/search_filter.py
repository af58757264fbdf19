"""Search filters (document, pages, kind of region, metadata): validation and the condition for the index."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import reduce
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, Field, StringConstraints, model_validator

from documents.boxes import Value
from retrieval.chunking.chunk import ChunkKind

if TYPE_CHECKING:
    from lancedb.expr import Expr

TAG_END = "\x1f"  # JSON escapes this character, so that no tag contains it

Words = Annotated[str, StringConstraints(max_length=1000)]  # the limit also makes sure that it can be written as UTF-8


def _several(value: object) -> object:
    return [value] if isinstance(value, str) else value


class Pages(Value):
    """From `first` to `last`, both counted; unset: no limit on that side."""

    first: int | None = Field(default=None, ge=1, le=2**31 - 1)
    last: int | None = Field(default=None, ge=1, le=2**31 - 1)

    @model_validator(mode="after")
    def _ordered(self) -> Pages:
        if self.first is not None and self.last is not None and self.last < self.first:
            raise ValueError("a range of pages goes upwards")
        return self


class Filter(Value):
    """All that is set must hold; of a list, any one."""

    document_id: Annotated[tuple[Words, ...], BeforeValidator(_several)] | None = Field(default=None, max_length=1000)
    pages: Pages | None = Field(default=None, description="chunks that stand on one of these pages, or reach into it")
    kind: Annotated[tuple[ChunkKind, ...], BeforeValidator(_several)] | None = None
    metadata: dict[Words, Words] = Field(
        default={}, max_length=50, description="of the document, as given when it was ingested"
    )

    @model_validator(mode="before")
    @classmethod
    def _known(cls, value: Any) -> Any:
        if isinstance(value, Mapping) and (unknown := [str(name) for name in value if name not in cls.model_fields]):
            raise ValueError(f"unknown filter field {unknown[0]!r}; known: {', '.join(cls.model_fields)}")
        return value

    @property
    def empty(self) -> bool:
        """Whether nothing can match: a list of no documents or of no kinds."""
        return self.document_id == () or self.kind == ()

    def canonical(self) -> str:
        """The same text for filters that match the same."""
        fields = self.model_dump(mode="json", exclude_defaults=True)
        lists = {name: sorted(set(values)) for name, values in fields.items() if isinstance(values, list)}
        return json.dumps(fields | lists, sort_keys=True)

    def expression(self, namespace: str | None) -> Expr | None:
        """What LanceDB is asked for; None: everything. `namespace` None is all of them."""
        from lancedb.expr import col, func, lit  # here: callers that only write a filter need no LanceDB

        parts: list[Expr] = []
        if namespace is not None:
            parts.append(col("namespace") == lit(namespace))
        if self.document_id is not None:
            parts.append(col("document_id").isin(list(self.document_id)))
        if self.pages is not None and self.pages.first is not None:
            parts.append(col("last_page") >= lit(self.pages.first))
        if self.pages is not None and self.pages.last is not None:
            parts.append(col("first_page") <= lit(self.pages.last))
        if self.kind is not None:
            parts.append(col("kind").isin(list(self.kind)))
        parts += [func("contains", col("tags"), lit(tag(*pair))) for pair in self.metadata.items()]
        return both(parts)


def both(parts: Iterable[Expr]) -> Expr | None:
    """All of them, or None where there is none."""
    listed = list(parts)
    return reduce(lambda left, right: left & right, listed) if listed else None


def tag(name: str, value: str) -> str:
    """One fact of a document as its row keeps it; no tag is part of another."""
    return TAG_END + json.dumps([name, value], ensure_ascii=False) + TAG_END
