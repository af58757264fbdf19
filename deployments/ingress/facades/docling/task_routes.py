"""/v1/status and /v1/result of docling-serve: polls a task, follows it by WebSocket, returns its result."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Annotated

from fastapi import APIRouter, Query, Request, WebSocket
from starlette.responses import Response
from starlette.websockets import WebSocketDisconnect

from deployments.calls.call_retries import unless_replaced
from deployments.errors import Busy, ReplicaDied
from deployments.ingress.facades.docling.convert import ANSWER_RESPONSES
from deployments.ingress.facades.docling.response_models import ChunkAnswer, ConvertAnswer
from deployments.ingress.facades.docling.task import NoSuchTask, Task
from deployments.ingress.facades.docling.task_execution import TaskExecution, json_of
from deployments.ingress.facades.docling.task_status import TaskStatusResponse
from deployments.ingress.middleware.authorization import caller_of
from deployments.ingress.operations.callers import Caller
from deployments.ingress.operations.services import Services

BUSY_MESSAGE = "Server is busy, please try again shortly."


def router(services: Services, work: TaskExecution) -> APIRouter:
    """The routes /v1/status/poll, /v1/status/ws and /v1/result."""
    routes = APIRouter(tags=["docling"])

    @routes.get("/status/poll/{task_id}", response_model=TaskStatusResponse)
    async def poll(request: Request, task_id: str, wait: Annotated[float, Query(ge=0)] = 0) -> Response:
        """The status of a task; with `wait`, when it has ended or the seconds are over."""
        return json_of(await work.status(Task.of(task_id), caller_of(request), wait))

    @routes.get("/result/{task_id}", response_model=ConvertAnswer | ChunkAnswer, responses=ANSWER_RESPONSES)
    async def result(request: Request, task_id: str) -> Response:
        """The answer of a task that has ended; 404 before that, and if it failed."""
        return await work.result(Task.of(task_id), caller_of(request))

    @routes.websocket("/status/ws/{task_id}")
    async def follow(socket: WebSocket, task_id: str) -> None:
        """The status of a task, now, from time to time and when it has ended. The key is in the header `X-Api-Key` or
        in the query, as `api_key`."""
        await socket.accept()
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the client went, at whatever moment
            await TaskFollower(work, socket, caller_of(socket), services.settings.limits.heartbeat_s).run(task_id)

    return routes


class TaskFollower:
    """One client that follows one task by a WebSocket; it need not say anything."""

    def __init__(self, work: TaskExecution, socket: WebSocket, caller: Caller, heartbeat_s: float) -> None:
        self._work = work
        self._socket = socket
        self._caller = caller
        self._heartbeat_s = heartbeat_s

    async def run(self, task_id: str) -> None:
        """Tell until the task has ended or the client has gone."""
        try:
            task = Task.of(task_id)
            task_status = await self._work.status(task, self._caller)
            await self._send("connection", task_status)
            disconnected = asyncio.ensure_future(self._until_gone())
            try:
                await self._tell(task, task_status, disconnected)
                # who answers each message drops what it has not read yet when the line is closed under it: the end
                await asyncio.wait((disconnected,), timeout=self._heartbeat_s)
            finally:
                disconnected.cancel()
        except NoSuchTask as error:
            await self._socket.send_json({"message": "error", "task": None, "error": error.message})
        except (Busy, ReplicaDied):
            await self._socket.send_json({"message": "error", "task": None, "error": BUSY_MESSAGE})
        await self._socket.close()

    async def _tell(self, task: Task, task_status: TaskStatusResponse, disconnected: asyncio.Future[None]) -> None:
        while True:
            await self._send("update", task_status)
            if task_status.task_status not in ("pending", "started"):
                return
            coming = asyncio.ensure_future(self._next(task, task_status))
            try:
                await asyncio.wait((coming, disconnected), return_when=asyncio.FIRST_COMPLETED)
                if not coming.done():
                    raise WebSocketDisconnect
                task_status = coming.result()
            finally:
                coming.cancel()

    async def _next(self, task: Task, task_status: TaskStatusResponse) -> TaskStatusResponse:
        """When it has ended, or a heartbeat later; as it was, while Jobs is replaced."""
        return await unless_replaced(lambda: self._work.status(task, self._caller, self._heartbeat_s), task_status)

    async def _until_gone(self) -> None:
        """What clients say asks for the next status, which they get anyway."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while True:
                await self._socket.receive_text()

    async def _send(self, message: str, task_status: TaskStatusResponse) -> None:
        task = task_status.model_dump(mode="json", exclude={"ignored_options"})
        await self._socket.send_json({"message": message, "task": task, "error": None})
