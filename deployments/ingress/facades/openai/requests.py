"""Request bodies of OpenAI's API: which fields are supported; others are refused by name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

from batching import Guide, SamplingParams
from deployments.schema_check import MAX_SCHEMA_BYTES

MAX_PICTURE_URL = 20_000_000  # characters
MAX_INPUTS = 2048  # OpenAI's own limit
MODEL_NAME = Annotated[str, StringConstraints(min_length=1, max_length=500)]


class Body(BaseModel):
    """Frozen; a field that nobody here reads is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=())

    model: MODEL_NAME
    user: str | None = Field(None, description="accepted and ignored")


class StreamOptions(BaseModel):
    """What a stream tells besides the text."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    include_usage: bool = False


class JsonSchema(BaseModel):
    """A schema as `response_format` has it; every model here is held to it, `strict` or not."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    name: str = Field(max_length=100)
    schema_: dict[str, Any] = Field(alias="schema")
    description: str | None = None
    strict: bool | None = None


class ResponseFormat(BaseModel):
    """The form of the text."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    type: Literal["text", "json_object", "json_schema"]
    json_schema: JsonSchema | None = None

    def guide(self) -> Guide | None:
        """What the text is held to. Raises ValueError where the schema is missing."""
        if self.type == "text":
            return None
        if self.type == "json_object":
            return Guide.json_object()
        if self.json_schema is None:
            raise ValueError("response_format of type json_schema needs json_schema")
        if len(json.dumps(self.json_schema.schema_)) > MAX_SCHEMA_BYTES:
            raise ValueError(f"a schema may have {MAX_SCHEMA_BYTES} bytes")
        return Guide.json_schema(self.json_schema.schema_)


class Sampling(Body):
    """How text is generated; the defaults are OpenAI's."""

    max_tokens: int | None = Field(None, ge=1)
    temperature: float = Field(1.0, ge=0, le=2)
    top_p: float = Field(1.0, gt=0, le=1)
    top_k: int = Field(0, ge=0, description="as in other OpenAI-compatible servers; 0: all tokens")
    min_p: float = Field(0.0, ge=0, le=1, description="likewise")
    repetition_penalty: float = Field(1.0, gt=0, le=10, description="likewise")
    seed: int | None = Field(None, ge=0, lt=2**63)
    stop: str | list[str] | None = Field(None, max_length=16)
    stream: bool = False
    stream_options: StreamOptions | None = None
    n: Literal[1] = Field(1, description="one text for each call")
    frequency_penalty: Literal[0] | None = Field(None, description="see repetition_penalty")
    presence_penalty: Literal[0] | None = Field(None, description="see repetition_penalty")

    @field_validator("frequency_penalty", "presence_penalty", mode="before")
    @classmethod
    def _whole(cls, value: Any) -> Any:
        return int(value) if isinstance(value, float) and value.is_integer() else value

    def sampling(self, max_tokens: int | None, guide: Guide | None) -> SamplingParams:
        """In the engine's terms. Raises ValueError naming what does not go together."""
        stop = [self.stop] if isinstance(self.stop, str) else self.stop or []
        return SamplingParams(
            max_tokens=max_tokens,
            temperature=self.temperature,
            top_p=self.top_p,
            top_k=self.top_k,
            min_p=self.min_p,
            repetition_penalty=self.repetition_penalty,
            seed=self.seed,
            stop=tuple(stop),
            guide=guide,
        )


class TextPart(BaseModel):
    """Text in a message."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    type: Literal["text"]
    text: str


class ImageUrl(BaseModel):
    """A picture as a `data:` URL, or at an address (setting sources.http)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: str = Field(max_length=MAX_PICTURE_URL)
    detail: Literal["auto", "low", "high"] = Field("auto", description="accepted and ignored")


class ImagePart(BaseModel):
    """A picture in a message."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    type: Literal["image_url"]
    image_url: ImageUrl


class ChatMessage(BaseModel):
    """What one side said."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[Annotated[TextPart | ImagePart, Field(discriminator="type")]]
    name: str | None = Field(None, description="accepted and ignored")

    @field_validator("content", mode="before")
    @classmethod
    def _is_text(cls, content: Any) -> Any:
        for part in content if isinstance(content, list) else ():
            if isinstance(part, Mapping) and part.get("type") not in ("text", "image_url"):
                raise ValueError(f"parts of type {part.get('type')!r} are not supported, only text and image_url")
        return content

    @property
    def text(self) -> str:
        """All of its text."""
        if isinstance(self.content, str):
            return self.content
        return "".join(part.text for part in self.content if isinstance(part, TextPart))

    @property
    def pictures(self) -> list[str]:
        """The URLs of its pictures."""
        parts = () if isinstance(self.content, str) else self.content
        return [part.image_url.url for part in parts if isinstance(part, ImagePart)]


class ChatBody(Sampling):
    """POST /v1/chat/completions."""

    messages: list[ChatMessage] = Field(min_length=1)
    max_completion_tokens: int | None = Field(None, ge=1)
    response_format: ResponseFormat | None = None


class CompletionBody(Sampling):
    """POST /v1/completions."""

    prompt: str
    max_tokens: int | None = Field(16, ge=1, description="OpenAI's default is 16")


class EmbeddingBody(Body):
    """POST /v1/embeddings."""

    input: str | list[str] = Field(min_length=1)
    encoding_format: Literal["float", "base64"] = "float"

    @field_validator("input")
    @classmethod
    def _texts(cls, texts: str | list[str]) -> str | list[str]:
        if isinstance(texts, list) and (len(texts) > MAX_INPUTS or not all(texts)):
            raise ValueError(f"input: at most {MAX_INPUTS} texts, none of them empty")
        return texts

    @property
    def texts(self) -> list[str]:
        """All of them as a list."""
        return [self.input] if isinstance(self.input, str) else list(self.input)
