"""What locust's users do: each posts one file again and again to one route.

The environment tells the route (STRESS_ROUTE), the name of the form's file (STRESS_FIELD) and its path (STRESS_FILE). A
refusal that says when to come again is counted by its own name and obeyed; every other answer but 200 with a body is a
failure.
"""

# locust tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import os
from pathlib import Path

import gevent
from locust import HttpUser, constant, task


class Sender(HttpUser):
    """Asks again as soon as it is answered."""

    wait_time = constant(0)

    def on_start(self) -> None:
        self.route, field = os.environ["STRESS_ROUTE"], os.environ["STRESS_FIELD"]
        file = Path(os.environ["STRESS_FILE"])
        self.files = {field: (file.name, file.read_bytes())}

    @task
    def send(self) -> None:
        with self.client.post(self.route, files=self.files, catch_response=True) as answer:
            again = answer.headers.get("Retry-After")
            if answer.status_code == 503 and again is not None:
                answer.request_meta["name"] = "refused"  # pyright: ignore[reportIndexIssue]  # a dict
                answer.success()
            elif answer.status_code != 200 or not answer.content:
                answer.failure(f"{answer.status_code}, {len(answer.content or b'')} bytes")
        if again is not None:
            gevent.sleep(float(again))
