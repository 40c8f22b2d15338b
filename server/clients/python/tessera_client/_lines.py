"""NDJSON: lines of a streamed answer, one at a time."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from types import TracebackType
from typing import Any, Optional

import httpx

from ._errors import ApiProblem, stream_broken

_LINE_MAX = 256 * 1024 * 1024


class _Splitter:
    """Whole lines of the pieces so far. The last one is held: it may say why there are no more."""

    def __init__(self) -> None:
        self._rest = b""
        self._held: Optional[bytes] = None

    def push(self, piece: bytes) -> list[bytes]:
        *lines, self._rest = (self._rest + piece).split(b"\n")
        if len(self._rest) > _LINE_MAX:
            raise stream_broken(f"A line is longer than {_LINE_MAX} bytes.")
        whole = [line for line in ([self._held, *lines] if self._held is not None else lines) if line]
        self._held = whole.pop() if whole else None
        return whole

    def end(self) -> list[bytes]:
        if self._rest:
            raise reason_in(self._rest) or stream_broken("The last line is not whole.")
        reason = reason_in(self._held)
        if reason is not None:
            raise reason
        return [] if self._held is None else [self._held]

    def cut(self) -> ApiProblem:
        return reason_in(self._held) or stream_broken()


def reason_in(line: Optional[bytes]) -> Optional[ApiProblem]:
    """A server that gave up says so in its last line. A damaged record has a digest, and the work goes on."""
    if line is None or not line.startswith(b'{"error":'):
        return None
    try:
        value: Any = json.loads(line)
    except ValueError:
        return None
    error = value["error"]
    if len(value) > 1 or not isinstance(error, dict) or "digest" in error or not isinstance(error.get("code"), str):
        return None
    return ApiProblem(0, error["code"], str(error.get("message", "")), title="The stream ended early")


class Lines:
    """The lines of an answer. The server sends no faster than they are read; ``close`` ends its work."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        #: the job of the work: progress, abort, summary
        self.job_id: Optional[str] = response.headers.get("x-job-id")
        #: of an export that can be resumed: which records come, and in which order
        self.export_id: Optional[str] = response.headers.get("x-export-id")

    def __iter__(self) -> Iterator[Any]:
        splitter = _Splitter()
        try:
            for piece in self._response.iter_bytes():
                for line in splitter.push(piece):
                    yield json.loads(line)
            for line in splitter.end():
                yield json.loads(line)
        except httpx.TransportError as error:
            raise splitter.cut() from error
        finally:
            self.close()

    def close(self) -> None:
        self._response.close()

    def __enter__(self) -> Lines:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()


class AsyncLines:
    """As ``Lines``, for ``async for``."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self.job_id: Optional[str] = response.headers.get("x-job-id")
        #: of an export that can be resumed: which records come, and in which order
        self.export_id: Optional[str] = response.headers.get("x-export-id")

    async def __aiter__(self) -> AsyncIterator[Any]:
        splitter = _Splitter()
        try:
            async for piece in self._response.aiter_bytes():
                for line in splitter.push(piece):
                    yield json.loads(line)
            for line in splitter.end():
                yield json.loads(line)
        except httpx.TransportError as error:
            raise splitter.cut() from error
        finally:
            await self.aclose()

    async def aclose(self) -> None:
        await self._response.aclose()

    async def __aenter__(self) -> AsyncLines:
        return self

    async def __aexit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        await self.aclose()
