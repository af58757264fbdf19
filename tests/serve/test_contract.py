"""The running server against its own /openapi.json: schemathesis sends what fits it."""

from __future__ import annotations

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import content_type_conformance, status_code_conformance

pytestmark = [pytest.mark.serve, pytest.mark.slow]


def test_every_answer_is_one_that_is_described(client: httpx.Client) -> None:
    """Guards against crashes on odd input, and against statuses and bodies that no client expects."""
    schema = schemathesis.openapi.from_url(f"{client.base_url}/openapi.json")
    operations = [each.ok() for each in schema.get_all_operations()]
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
        case.validate_response(answer, checks=[status_code_conformance, content_type_conformance])

    answered()
