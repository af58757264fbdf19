"""The running server against its own /openapi.json: schemathesis sends what fits it."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import content_type_conformance

from deployments.ingress.middleware.error_responses import ProblemDocument

DOCS = Path(__file__).resolve().parents[2] / "docs" / "warnings.md"
CODES = set(re.findall(r"^\| `([a-z_]+)` \|", DOCS.read_text(encoding="utf-8"), re.M))

pytestmark = [pytest.mark.serve, pytest.mark.slow]


def test_every_answer_is_one_that_is_described(client: httpx.Client) -> None:
    """Guards against crashes on odd input, and against statuses and bodies that no client expects."""
    schema = schemathesis.openapi.from_url(f"{client.base_url}/openapi.json")
    operations = [operation.ok() for operation in schema.get_all_operations()]
    assert len(operations) > 10
    for operation in operations:
        tried(operation)


def tried(operation) -> None:
    """Some calls of one operation, all of them answered as it says."""

    @given(case=operation.as_strategy())
    @settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    def answered(case) -> None:
        answer = case.call(timeout=60)
        assert answer.status_code < 500 or answer.status_code == 503, (case.as_curl_command(), answer.text)
        case.validate_response(answer, checks=[content_type_conformance])
        if "application/problem+json" in answer.headers.get(
            "content-type", []
        ):  # schemathesis keeps lists  # described once, for all calls
            problem = ProblemDocument.model_validate(answer.json())
            assert problem.status == answer.status_code
            assert problem.code in CODES, (case.as_curl_command(), problem)
        else:
            responses = operation.definition.raw["responses"]
            assert str(answer.status_code) in responses, (case.as_curl_command(), answer.headers, answer.text)

    answered()
