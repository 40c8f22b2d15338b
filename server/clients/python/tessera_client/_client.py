"""The client that waits."""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Callable, Optional, Union, cast

import httpx

from ._core import Call, Refusal, Retry, answer_of, refusal_of
from ._errors import ApiProblem, stream_broken, unreachable
from ._events import EventParser, frame_of, is_lost
from ._lines import Lines
from ._options import LIVE_LONGEST_WAIT_S, SILENCE_S, Credentials, timeouts
from .models_gen import LiveFrame
from .operations_gen import Operations


class Client(Operations):
    """Calls the operations of one server. Use it with ``with``, or ``close`` it.

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
        http: Optional[httpx.Client] = None,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self._base = url.rstrip("/")
        self._credentials = Credentials(token, basic)
        self._retry = retry
        self._timeout_s = timeout_s
        self._http = http or httpx.Client()
        self._wait = wait

    def _call(self, call: Call) -> Any:
        response = self._open(call, self._timeout_s, self._retry)
        try:
            response.read()
        except httpx.TransportError as error:
            raise stream_broken() from error
        finally:
            response.close()
        return answer_of(response)

    def _lines(self, call: Call) -> Lines:
        return Lines(self._open(call, None, self._retry))

    def _open(self, call: Call, timeout_s: Optional[float], retry: Retry) -> httpx.Response:
        """Resolves once the head of a good answer is there."""
        headers = call.sent_headers()
        again = 0
        while True:
            outcome = self._send(call, headers, timeout_s)
            if isinstance(outcome, httpx.Response):
                return outcome
            self._wait(retry.wait(call, again, outcome))
            again += 1

    def _send(self, call: Call, headers: dict[str, str], timeout_s: Optional[float]) -> Union[httpx.Response, Refusal]:
        request = self._http.build_request(
            call.method,
            self._base + call.address(),
            headers=headers,
            content=call.content(),
            timeout=timeouts(timeout_s),
        )
        self._credentials.apply(request)
        try:
            response = self._http.send(request, stream=True)
            if response.is_success:
                return response
            return refusal_of(response.status_code, response.headers, response.read())
        except httpx.TransportError as error:
            refusal = Refusal(unreachable(error))
            refusal.problem.__cause__ = error
            return refusal

    def live(self, *, topics: Optional[str] = None, namespace: Optional[str] = None) -> Iterator[LiveFrame]:
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
                for frame in self._connection(call):
                    again = 0
                    yield frame
            except ApiProblem as problem:
                if not is_lost(problem):
                    raise
            self._wait(Retry(longest_wait_s=LIVE_LONGEST_WAIT_S).jitter(again))
            again += 1

    def _connection(self, call: Call) -> Iterator[LiveFrame]:
        response = self._open(call, SILENCE_S, Retry(times=0))
        parser = EventParser()
        try:
            for line in response.iter_lines():
                for event, data in parser.push(line):
                    yield from cast("list[LiveFrame]", frame_of(event, data))
        except httpx.TransportError as error:
            raise stream_broken() from error
        finally:
            response.close()

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()
