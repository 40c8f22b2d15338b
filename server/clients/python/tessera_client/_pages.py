"""Lists in pages, as one iterator."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Iterator
from typing import Any, Callable


def items(read: Callable[..., Any], *args: Any, **named: Any) -> Iterator[Any]:
    """The items of a list: ``items(client.list_segments, "demo", limit=100)``."""
    while True:
        page = read(*args, **named)
        yield from page["items"]
        if "cursor" not in page:
            return
        named["cursor"] = page["cursor"]


async def async_items(read: Callable[..., Awaitable[Any]], *args: Any, **named: Any) -> AsyncIterator[Any]:
    """As ``items``, for an ``AsyncClient``."""
    while True:
        page = await read(*args, **named)
        for item in page["items"]:
            yield item
        if "cursor" not in page:
            return
        named["cursor"] = page["cursor"]
