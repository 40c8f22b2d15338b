"""The records of an export as an iterator that goes on where its connection broke off."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Iterator
from typing import Any, Callable, Optional

from ._async_client import AsyncClient
from ._client import Client
from ._core import Retry
from ._errors import ApiProblem


class _Progress:
    """Where an export goes on, and how often it has without a record in between."""

    def __init__(self, retry: Retry) -> None:
        self._retry = retry
        self._again = 0
        self.named: dict[str, Any] = {"format": "ndjson", "resumable": True}

    def met(self, record: Any, export_id: Optional[str]) -> None:
        self._again = 0
        self.named["after"] = record.get("error", record)["digest"]
        if export_id is not None:
            self.named["export_id"] = export_id

    def wait(self, problem: ApiProblem) -> float:
        """Seconds until it goes on. Raises the problem if it does not."""
        ended = problem.status == 0 and problem.code in ("closed", "aborted", "reader_stalled")
        if self._again >= self._retry.times or not (problem.retryable or ended):
            raise problem
        seconds = self._retry.jitter(self._again)
        self._again += 1
        return seconds


def exported(
    client: Client,
    ns: str,
    *,
    retry: Retry = Retry(),
    wait: Callable[[float], None] = time.sleep,
    **query: Any,
) -> Iterator[Any]:
    """Each record of a namespace or a set: ``exported(client, "demo", set="users")``.

    If the connection breaks off, it goes on behind the last record. Each record that nobody writes meanwhile comes exactly
    once. A record that cannot be read is ``{"error": ..}``.
    """
    progress = _Progress(retry)
    while True:
        try:
            with client.export_records_lines(ns, **query, **progress.named) as lines:
                for record in lines:
                    progress.met(record, lines.export_id)
                    yield record
            return
        except ApiProblem as problem:
            wait(progress.wait(problem))


async def async_exported(
    client: AsyncClient,
    ns: str,
    *,
    retry: Retry = Retry(),
    wait: Callable[[float], Awaitable[None]] = asyncio.sleep,
    **query: Any,
) -> AsyncIterator[Any]:
    """As ``exported``, for an ``AsyncClient``."""
    progress = _Progress(retry)
    while True:
        try:
            async with await client.export_records_lines(ns, **query, **progress.named) as lines:
                async for record in lines:
                    progress.met(record, lines.export_id)
                    yield record
            return
        except ApiProblem as problem:
            await wait(progress.wait(problem))
