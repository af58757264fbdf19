"""Bodies of OpenAI's calls: what is honoured here; a field that is not is refused by its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

from batching import Guide, SamplingParams

MAX_INPUTS = 2048  # OpenAI's own limit
MODEL = Annotated[str, StringConstraints(min_length=1, max_length=500)]


class Body(BaseModel):
    """Frozen; a field that nobody here reads is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=())

    model: MODEL
    user: str | None = Field(None, description="taken and not used")


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
        return Guide.json_schema(self.json_schema.schema_)


class Sampling(Body):
    """How text is generated; the defaults are OpenAI's."""

    max_tokens: int | None = Field(None, ge=1)
    temperature: float = Field(1.0, ge=0, le=2)
    top_p: float = Field(1.0, gt=0, le=1)
    top_k: int = Field(0, ge=0, description="as in other servers of this form; 0: all tokens")
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
    """A part of a message; no model that is served here looks at pictures in a conversation."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    type: Literal["text"]
    text: str


class ChatMessage(BaseModel):
    """What one side said."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[TextPart]
    name: str | None = Field(None, description="taken and not used")

    @field_validator("content", mode="before")
    @classmethod
    def _is_text(cls, content: Any) -> Any:
        for part in content if isinstance(content, list) else ():
            if isinstance(part, Mapping) and part.get("type") != "text":
                raise ValueError(f"parts of type {part.get('type')!r} are not taken, text alone is")
        return content

    @property
    def text(self) -> str:
        """All of its parts."""
        return self.content if isinstance(self.content, str) else "".join(part.text for part in self.content)


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
