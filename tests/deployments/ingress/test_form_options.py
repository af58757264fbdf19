"""Forms: OpenAPI says what the model takes, and a refusal names the field as the caller sent it."""

from __future__ import annotations

import json
from typing import Annotated

import jsonschema
import pytest
from pydantic import BaseModel, ConfigDict, Field

from deployments.ingress.errors import Malformed, UnknownOption
from deployments.ingress.form_options import field_schemas, options_of


class Fields(BaseModel):
    model_config = ConfigDict(extra="forbid")

    pages: Annotated[int | None, Field(ge=1, description="how many")] = None
    sharp: bool = False


@pytest.mark.parametrize(("value", "is_valid"), [(3, True), (0, False), ("many", False)])
def test_a_field_that_may_be_unset_has_the_bounds_of_its_type(value: object, is_valid: bool) -> None:
    """Guards against `anyOf` with null, for which form clients draw no field."""
    schema = field_schemas(Fields)["pages"]
    assert jsonschema.Draft202012Validator(schema).is_valid(value) is is_valid
    assert "anyOf" not in json.dumps(schema)


def test_an_empty_field_counts_as_not_sent() -> None:
    assert options_of(Fields, {"pages": "", "sharp": None}) == Fields()


def test_a_refusal_names_the_field_with_its_prefix() -> None:
    with pytest.raises(UnknownOption, match=r"chunking_pages: .*greater than or equal to 1"):
        options_of(Fields, {"pages": "0"}, prefix="chunking_")
    with pytest.raises(Malformed, match="unknown option 'paegs'; known: pages, sharp"):
        options_of(Fields, {"paegs": "1"}, refusal=Malformed)
