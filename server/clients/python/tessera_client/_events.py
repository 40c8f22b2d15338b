"""Server-sent events."""

from __future__ import annotations

import json
from typing import Any

from ._errors import ApiProblem


class EventParser:
    """Splits lines into events. Comments and unknown fields are skipped."""

    def __init__(self) -> None:
        self._event = ""
        self._data: list[str] = []

    def push(self, line: str) -> list[tuple[str, str]]:
        """The event that ends with this line, if one does."""
        if line == "":
            event = (self._event or "message", "\n".join(self._data))
            is_empty = not self._data
            self._event, self._data = "", []
            return [] if is_empty else [event]
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._event = value
        elif name == "data":
            self._data.append(value)
        return []


def frame_of(event: str, data: str) -> list[Any]:
    """The frame of an event. Raises the reason if it is the last one."""
    if event == "frame":
        return [json.loads(data)]
    if event != "end":
        return []
    end = json.loads(data)
    code = str(end["code"])
    status = 401 if code == "auth_required" else 503
    raise ApiProblem(status, code, str(end["message"]), retryable=code == "closed")


def is_lost(problem: ApiProblem) -> bool:
    """Whether to connect again."""
    return problem.retryable or problem.status in (502, 503, 504)
