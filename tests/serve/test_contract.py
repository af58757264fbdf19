"""The running server against its own /openapi.json: schemathesis sends what fits it, and what nearly does."""

from __future__ import annotations

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import content_type_conformance, status_code_conformance

pytestmark = [pytest.mark.serve, pytest.mark.slow]

schema = schemathesis.pytest.from_fixture("described")


@pytest.fixture(scope="session")
def described(client: httpx.Client):
    return schemathesis.openapi.from_url(f"{client.base_url}/openapi.json")


@schema.parametrize()
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_answer_is_one_that_is_described(case) -> None:
    """Guards against crashes on odd input, and against statuses and bodies that no client expects."""
    answer = case.call(timeout=60)
    assert answer.status_code < 500 or answer.status_code == 503, answer.text
    case.validate_response(answer, checks=[status_code_conformance, content_type_conformance])
