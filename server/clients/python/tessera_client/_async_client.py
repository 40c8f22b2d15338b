"""The client of ``asyncio``."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from types import TracebackType
from typing import Any, Callable, Optional, Union, cast

import httpx

from ._core import Call, Refusal, Retry, answer_of, refusal_of
from ._errors import ApiProblem, stream_broken, unreachable
from ._events import EventParser, frame_of, is_lost
from ._lines import AsyncLines
from ._options import LIVE_LONGEST_WAIT_S, SILENCE_S, Credentials, timeouts
from .models_gen import LiveFrame
from .operations_gen import AsyncOperations


class AsyncClient(AsyncOperations):
    """Calls the operations of one server. Use it with ``async with``, or ``aclose`` it.

    ``timeout_s``: how long an answer may say nothing; lines of streams may be silent for longer.
    """

    def __init__(
        self,
        url: str,
        *,
        token: Union[str, Callable[[], str], None] = None,
        basic: Optional[tuple[str, str]] = None,
        retry: Retry = Retry(),
        timeout_s: float = 60.0,
        http: Optional[httpx.AsyncClient] = None,
        wait: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._base = url.rstrip("/")
        self._credentials = Credentials(token, basic)
        self._retry = retry
        self._timeout_s = timeout_s
        self._http = http or httpx.AsyncClient()
        self._wait = wait

    async def _call(self, call: Call) -> Any:
        response = await self._open(call, self._timeout_s, self._retry)
        try:
            await response.aread()
        except httpx.TransportError as error:
            raise stream_broken() from error
        finally:
            await response.aclose()
        return answer_of(response)

    async def _lines(self, call: Call) -> AsyncLines:
        return AsyncLines(await self._open(call, None, self._retry))

    async def _open(self, call: Call, timeout_s: Optional[float], retry: Retry) -> httpx.Response:
        """Resolves once the head of a good answer is there."""
        headers = call.sent_headers()
        again = 0
        while True:
            outcome = await self._send(call, headers, timeout_s)
            if isinstance(outcome, httpx.Response):
                return outcome
            await self._wait(retry.wait(call, again, outcome))
            again += 1

    async def _send(self, call: Call, headers: dict[str, str], timeout_s: Optional[float]) -> Union[httpx.Response, Refusal]:
        request = self._http.build_request(
            call.method,
            self._base + call.address(),
            headers=headers,
            content=call.content(),
            timeout=timeouts(timeout_s),
        )
        self._credentials.apply(request)
        try:
            response = await self._http.send(request, stream=True)
            if response.is_success:
                return response
            return refusal_of(response.status_code, response.headers, await response.aread())
        except httpx.TransportError as error:
            refusal = Refusal(unreachable(error))
            refusal.problem.__cause__ = error
            return refusal

    async def live(self, *, topics: Optional[str] = None, namespace: Optional[str] = None) -> AsyncIterator[LiveFrame]:
        """A frame each second. A lost connection is made again; the gap shows in ``seq``."""
        call = Call(
            "GET",
            "/api/v1/live",
            "always",
            path={},
            query={"topics": topics, "namespace": namespace},
            headers={},
            accept="text/event-stream",
        )
        again = 0
        while True:
            try:
                async for frame in self._connection(call):
                    again = 0
                    yield frame
            except ApiProblem as problem:
                if not is_lost(problem):
                    raise
            await self._wait(Retry(longest_wait_s=LIVE_LONGEST_WAIT_S).jitter(again))
            again += 1

    async def _connection(self, call: Call) -> AsyncIterator[LiveFrame]:
        response = await self._open(call, SILENCE_S, Retry(times=0))
        parser = EventParser()
        try:
            async for line in response.aiter_lines():
                for event, data in parser.push(line):
                    for frame in cast("list[LiveFrame]", frame_of(event, data)):
                        yield frame
        except httpx.TransportError as error:
            raise stream_broken() from error
        finally:
            await response.aclose()

    async def aclose(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        await self.aclose()
