"""Typing of `handle.method.remote(...)`, so that a type checker follows calls between deployments; methods of parts."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Generator
from typing import Annotated, Any, Concatenate, Generic, ParamSpec, Protocol, TypeAlias, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Method = Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]


class Response(Protocol[T_co]):
    """What Serve gives at once for a call; it may be another call's argument without being awaited."""

    def __await__(self) -> Generator[Any, None, T_co]: ...

    def cancel(self) -> None: ...


Forwardable: TypeAlias = Annotated[T, "callers may pass an unawaited Response of it"]
"""A deployment's parameter that goes from one replica to another without passing the caller: Serve awaits it."""


class ResponseStream(Protocol[T_co]):
    """What Serve gives for a streaming call."""

    def __aiter__(self) -> AsyncIterator[T_co]: ...

    def cancel(self) -> None: ...


class RemoteMethod(Generic[P, T]):
    """A method as a handle offers it; `declared` says its parameters."""

    def __init__(self, declared: Callable[Concatenate[Any, P], T]) -> None:
        self.declared = declared

    def remote(self, *args: P.args, **kwargs: P.kwargs) -> Response[T]:
        """The call, begun."""
        raise NotImplementedError("handles are Serve's; this only says their types")


class StreamingMethod(Generic[P, T]):
    """The same of a method that yields."""

    def __init__(self, declared: Callable[Concatenate[Any, P], AsyncIterator[T]]) -> None:
        self.declared = declared

    def remote(self, *args: P.args, **kwargs: P.kwargs) -> ResponseStream[T]:
        """The call, begun."""
        raise NotImplementedError("handles are Serve's; this only says their types")


def remote_method(declared: Callable[Concatenate[Any, P], T]) -> RemoteMethod[P, T]:
    """Declares a method of a handle: `@remote_method` over its signature, without `async`."""
    return RemoteMethod(declared)


def streaming_method(declared: Callable[Concatenate[Any, P], AsyncIterator[T]]) -> StreamingMethod[P, T]:
    """Declares a method that yields."""
    return StreamingMethod(declared)


def method_of(part: str, method: Method[P, T]) -> Method[P, T]:
    """A method of a deployment that is the one of a part of it: the same name, parameters and docstring."""

    @functools.wraps(method)
    async def call(self: Any, *args: P.args, **options: P.kwargs) -> T:
        return await getattr(getattr(self, part), method.__name__)(*args, **options)

    return call
