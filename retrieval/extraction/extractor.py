"""Extracts the values of a JSON schema from a document with a language model, and locates each on the pages."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

from pydantic import Field

from documents.boxes import BoundingBox, Value
from documents.matching.lines import printed_lines
from documents.matching.matcher import Match, Matcher, MatchKind, Scalar
from documents.places import Place
from documents.values import Document
from retrieval.answers.prompt import Message
from retrieval.chunking.chunk_size import ByteCounter
from retrieval.chunking.chunker import chunk
from retrieval.errors import WriterFailed
from retrieval.extraction.form_evidence import FormEvidence
from retrieval.extraction.model_calls import Call, merged, plan
from retrieval.extraction.schema import Schema, finite_json, leaves_of, with_leaves, without_nulls

T = TypeVar("T")
MAX_THREADS = 4
Progress = Callable[[int, int], Awaitable[None]]
"""Told how many of how many calls are done."""


class WrittenJson(Value):
    """What a model wrote for one schema."""

    text: str
    num_prompt_tokens: int | None = None
    num_output_tokens: int | None = None


class JsonWriter(Protocol):
    """A language model that writes JSON of a schema. Errors are `WriterFailed`."""

    @property
    def name(self) -> str: ...

    async def write_json(self, messages: Sequence[Message], schema: Schema, max_tokens: int) -> WrittenJson:
        """JSON of the schema, whole."""
        ...


class ExtractedField(Value):
    """A value, and where it stands: with `match` none it stands on none of the pages, or is no printed value."""

    value: Scalar
    match: MatchKind = Field(
        description="exact, normalised (as the same number, date or text, written otherwise), or none"
    )
    page: int | None = None
    boxes: tuple[BoundingBox, ...] = Field((), description="one for each line that it takes, in points")
    places: tuple[Place, ...] = Field((), description="likewise, in a file without printed pages (docs/formats.md)")
    source_text: str | None = Field(None, description="as it is printed there")
    confidence: float | None = Field(None, description="0..1, that this is printed: OCR's; 1.0 for a text layer")
    unproved: bool = Field(False, description="OCR read digits of it that no further look confirmed: look at them")
    num_places: int = Field(0, description="where it stands; the one is chosen by the words beside it")


class Usage(Value):
    """What the model was given and wrote, in its own tokens; null where it does not say."""

    num_calls: int
    prompt_tokens: int | None
    completion_tokens: int | None


class Extraction(Value):
    """The values twice: as plain JSON of the schema, and as `fields`, where each leaf is an ExtractedField."""

    data: Any
    fields: Any
    num_unplaced: int = Field(description="texts and numbers that stand on none of the pages: look at them")
    model: str
    usage: Usage


class Extractor:
    """One model, with the bounds of what it is given."""

    def __init__(self, writer: JsonWriter, *, prompt_tokens: int, max_tokens: int, max_calls: int) -> None:
        self._writer = writer
        # of their own: whole documents take seconds, and the loop's threads do what is small
        self._threads = ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="extraction")
        self._prompt_tokens = prompt_tokens
        self._max_tokens = max_tokens
        self._max_calls = max_calls

    @property
    def model(self) -> str:
        """The name of the one that writes."""
        return self._writer.name

    async def extract(self, document: Document, schema: Schema, progress: Progress | None = None) -> Extraction:
        """The values of the schema in the document.

        Raises:
            ExtractionRefused: the document or the schema is too long.
            WriterFailed: the model wrote nothing, or no JSON of the schema.
        """
        calls = await self._run(self._plan, document, schema)
        answers = await self._written(calls, progress)
        data = await self._run(self._merged, calls, answers, schema)
        fields, num_unplaced = await self._run(placed, data, schema, document)
        return Extraction(
            data=data,
            fields=fields,
            num_unplaced=num_unplaced,
            model=self._writer.name,
            usage=Usage(
                num_calls=len(calls),
                prompt_tokens=_sum(answer.num_prompt_tokens for answer in answers),
                completion_tokens=_sum(answer.num_output_tokens for answer in answers),
            ),
        )

    async def _run(self, work: Callable[..., T], *arguments: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)

    def _plan(self, document: Document, schema: Schema) -> list[Call]:
        counter = ByteCounter()
        chunks = chunk(document, counter, counter.max_tokens)
        return plan(schema, chunks, counter.count, budget=self._prompt_tokens, max_calls=self._max_calls)

    def _merged(self, calls: Sequence[Call], answers: Sequence[WrittenJson], schema: Schema) -> Any:
        values = [_parsed(answer.text, self._writer.name) for answer in answers]
        return without_nulls(merged(calls, values), schema, schema)

    async def _written(self, calls: Sequence[Call], progress: Progress | None) -> list[WrittenJson]:
        num_done = 0

        async def write(call: Call) -> WrittenJson:
            nonlocal num_done
            answer = await self._writer.write_json(call.messages, call.schema, self._max_tokens)
            num_done += 1
            if progress is not None:
                await progress(num_done, len(calls))
            return answer

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(write(call)) for call in calls]
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return [task.result() for task in tasks]


def placed(data: Any, schema: Schema, document: Document) -> tuple[Any, int]:
    """Every leaf of the values with its place, and how many texts and numbers have none."""
    leaves = list(leaves_of(data, schema, schema))
    printed = Matcher(printed_lines(document.pages)).match(leaves)
    matches = FormEvidence(document.pages).completed(leaves, printed)
    fields = [_field(leaf.value, match) for leaf, match in zip(leaves, matches, strict=True)]
    unplaced = [leaf for leaf in fields if leaf.match == "none" and not isinstance(leaf.value, bool | None)]
    return with_leaves(data, iter(leaf.model_dump(mode="json") for leaf in fields)), len(unplaced)


def _field(value: Scalar, match: Match) -> ExtractedField:
    return ExtractedField(value=value, **dict(match))


def _sum(counts: Iterable[int | None]) -> int | None:
    values = list(counts)
    return None if None in values else sum(count or 0 for count in values)


def _parsed(text: str, model: str) -> Any:
    try:
        return finite_json(text)
    except (ValueError, RecursionError):
        raise WriterFailed(f"the model {model} wrote no JSON", code="writer_invalid_json") from None
