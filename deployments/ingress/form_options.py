"""Reads options from form fields or JSON by a pydantic model: names the unknown or invalid ones (`invalid_option`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from deployments.ingress.errors import UnknownOption
from documents.errors import Refusal

Options = TypeVar("Options", bound=BaseModel)
MAX_IGNORED_REPORTED = 50  # ignored options that are reported, each cut to MAX_NAME characters
MAX_NAME = 64
BINARY_FILE = {"type": "string", "format": "binary"}


def options_of(
    model: type[Options],
    payload: Mapping[str, Any],
    *,
    prefix: str = "",
    refusal: type[Refusal] = UnknownOption,
) -> Options:
    """`payload` as `model`; a field that is empty or null counts as not sent.

    `prefix`: of the fields' names as the caller sends them, for the message.

    Raises:
        UnknownOption, or `refusal`: a field that the model does not know, or a value that it does not take.
    """
    try:
        return model.model_validate({name: value for name, value in payload.items() if value not in ("", None)})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            raise refusal(f"unknown option {name!r}; known: {', '.join(model.model_fields)}") from None
        raise refusal(f"{prefix}{name}: {first['msg']}" if name else first["msg"]) from None


def ignored_names(model: type[BaseModel], payload: Mapping[str, Any]) -> list[str]:
    """The names of what is sent and `model` does not have."""
    return sorted(name[:MAX_NAME] for name in payload if name not in model.model_fields)[:MAX_IGNORED_REPORTED]


def ignored_header(names: Sequence[str]) -> dict[str, str]:
    """The header that lists ignored options; none if there are none, or if a header cannot hold their names."""
    if not names or not all(name.isascii() and name.isprintable() for name in names):
        return {}
    return {"Pagemill-Ignored-Options": ", ".join(names)}


def form_schema(
    model: type[BaseModel] | None,
    *,
    file: str,
    several_files: bool = False,
    or_field: str | None = None,
    extra_fields: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What OpenAPI says of a call that takes a form with files in the field `file` and the fields of `model`.

    `or_field`: a field that may be there in the place of the file.
    `extra_fields`: JSON schemas of fields that the route reads itself.
    """
    properties: dict[str, Any] = {file: {"type": "array", "items": BINARY_FILE} if several_files else BINARY_FILE}
    properties |= extra_fields or {}
    properties |= {} if model is None else field_schemas(model)
    schema: dict[str, Any] = {"type": "object", "required": [file], "properties": properties}
    if or_field is not None:
        del schema["required"]
        schema["anyOf"] = [{"required": [file]}, {"required": [or_field]}]
    return {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": schema}}}}


def field_schemas(model: type[BaseModel], prefix: str = "") -> dict[str, Any]:
    """The JSON schema of each field as it stands in a form, where nothing is null and an unset field is left out."""
    properties: dict[str, Any] = model.model_json_schema()["properties"]
    return {f"{prefix}{name}": _without_null(schema) for name, schema in properties.items()}


def _without_null(schema: Mapping[str, Any]) -> dict[str, Any]:
    flat = {key: value for key, value in schema.items() if key not in ("title", "anyOf")}
    for option in schema.get("anyOf", ()):
        if option != {"type": "null"}:
            flat |= option
    if flat.get("default", ...) is None:
        del flat["default"]
    return flat
