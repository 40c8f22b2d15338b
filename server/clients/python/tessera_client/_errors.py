"""Failures of the API, and of the way to it."""

from __future__ import annotations

import json
from typing import Any, Optional

_TEXT_MAX = 300


class ApiProblem(Exception):
    """A failure with a stable code (RFC 9457). Branch on ``code``."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        title: str = "",
        field: Optional[str] = None,
        retryable: bool = False,
        request_id: Optional[str] = None,
    ) -> None:
        super().__init__(f"{code}: {detail or title}")
        #: HTTP status; 0: there was no answer, or it broke off
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        #: the field, parameter or header at fault
        self.field = field
        #: whether the same call may succeed later
        self.retryable = retryable
        #: id of the request in the log of the server
        self.request_id = request_id


def problem_of(status: int, content: bytes) -> ApiProblem:
    """The problem of an answer that is no success."""
    text = content.decode("utf-8", "replace")
    try:
        body: Any = json.loads(text)
    except ValueError:
        body = text
    members: dict[str, Any] = body if isinstance(body, dict) else {}

    def member(name: str) -> Optional[str]:
        value = members.get(name)
        return value if isinstance(value, str) else None

    words = member("detail") or member("message")
    return ApiProblem(
        status,
        member("code") or f"http_{status}",
        words or ("" if members else text[:_TEXT_MAX]),
        title=member("title") or f"The server answered {status}",
        field=member("field"),
        retryable=members.get("retryable") is True,
        request_id=member("requestId"),
    )


def unreachable(cause: Exception) -> ApiProblem:
    """The server could not be reached, or closed the connection without an answer."""
    return ApiProblem(0, "gateway_unreachable", f"The connection failed or closed: {cause}", retryable=True)


def stream_broken(detail: str = "The answer ended before its end. Its job, if it has one, says why.") -> ApiProblem:
    """An answer that ended before its end."""
    return ApiProblem(0, "stream_broken", detail, title="The stream ended early", retryable=True)
