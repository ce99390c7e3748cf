"""One line makes a call into a method: each verb is declared once, for clients that wait and clients that are awaited."""

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Generic, ParamSpec, Protocol, TypeVar

from whoknows.client.call import Call

P = ParamSpec("P")
T = TypeVar("T")


class Waiting(Protocol):
    def send(self, call: Call[T]) -> T: ...


class Awaiting(Protocol):
    async def send(self, call: Call[T]) -> T: ...


class Waits(Generic[P, T]):
    """A method that builds a call, sends it, and answers with what came back."""

    def __init__(self, build: Callable[P, Call[T]]) -> None:
        self.build = build
        self.__doc__ = build.__doc__

    def __get__(self, client: Waiting | None, owner: type) -> Callable[P, T]:
        @wraps(self.build)
        def verb(*args: P.args, **kwargs: P.kwargs) -> T:
            if client is None:
                raise TypeError("this is a method: make a client, and call it there")
            return client.send(self.build(*args, **kwargs))

        return verb


class Awaits(Generic[P, T]):
    """The same, awaited."""

    def __init__(self, build: Callable[P, Call[T]]) -> None:
        self.build = build
        self.__doc__ = build.__doc__

    def __get__(self, client: Awaiting | None, owner: type) -> Callable[P, Coroutine[Any, Any, T]]:
        @wraps(self.build)
        async def verb(*args: P.args, **kwargs: P.kwargs) -> T:
            if client is None:
                raise TypeError("this is a method: make a client, and call it there")
            return await client.send(self.build(*args, **kwargs))

        return verb
