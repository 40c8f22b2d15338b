"""What both clients do alike: requests, answers, and when a call is sent again."""

from __future__ import annotations

import json
import random
import secrets
from collections.abc import AsyncIterable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, Optional, Union
from urllib.parse import quote, urlencode

import httpx

from ._errors import ApiProblem, problem_of

Body = Union[bytes, str, Iterable[bytes]]
AsyncBody = Union[bytes, str, Iterable[bytes], AsyncIterable[bytes]]

_FIRST_WAIT_S = 0.1
#: The server has not begun the work.
_REFUSED = frozenset({"too_many_requests", "too_many_streams", "too_many_connections", "overloaded", "starting"})
#: Something on the way has failed, and the work may be done or not.
_UNCERTAIN = frozenset({0, 429, 502, 503, 504})


@dataclass
class Call:
    """One call of an operation. ``repeats`` says when it may be sent again."""

    method: str
    template: str
    repeats: str
    path: Mapping[str, Union[str, int]]
    query: Mapping[str, Any]
    headers: Mapping[str, Optional[str]]
    accept: str = ""
    body: Any = None
    content_type: str = "application/json"

    @property
    def once(self) -> bool:
        """Whether the body can be sent once only."""
        return self.content_type != "application/json" and not isinstance(self.body, (bytes, str, type(None)))

    def address(self) -> str:
        """The path with its parameters, and the query."""
        filled = self.template
        for name, value in self.path.items():
            if value in ("", ".", ".."):
                raise ValueError(f'"{name}" cannot be "{value}"')
            filled = filled.replace(f"{{{name}}}", quote(str(value), safe=""))
        given = dict(self.query)
        if isinstance(self.path.get("key"), int) and given.get("keytype", "") is None:
            given["keytype"] = "integer"
        pairs = [(name, _text(value)) for name, value in given.items() if value is not None]
        return f"{filled}?{urlencode(pairs, quote_via=quote)}" if pairs else filled

    def sent_headers(self) -> dict[str, str]:
        """Those of every try: a key says that they are one call."""
        headers = {name: value for name, value in self.headers.items() if value is not None}
        if self.accept:
            headers["accept"] = self.accept
        if self.body is not None:
            headers["content-type"] = self.content_type
        if self.repeats == "with key":
            headers.setdefault("idempotency-key", secrets.token_hex(16))
        return headers

    def content(self) -> Any:
        """The body as bytes or pieces. Integers are exact; ``1.0`` stays a double; NaN is refused."""
        if self.content_type == "application/json" and self.body is not None and not isinstance(self.body, bytes):
            return json.dumps(self.body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        return self.body

    def may_repeat(self, problem: ApiProblem) -> bool:
        """Whether it may be sent again without being done twice."""
        if self.once:
            return False
        if problem.code in _REFUSED or problem.code == "idempotency_key_in_use":
            return True
        has_precondition = any(self.headers.get(name) is not None for name in ("if-match", "if-none-match"))
        if self.repeats == "refused" or (self.repeats == "plain" and has_precondition):
            return False
        return problem.status in _UNCERTAIN and (problem.retryable or problem.code.startswith("http_"))


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass
class Refusal:
    """An answer that is no success."""

    problem: ApiProblem
    retry_after_s: float = 0.0


def refusal_of(status: int, headers: httpx.Headers, content: bytes) -> Refusal:
    return Refusal(problem_of(status, content), _retry_after(headers.get("retry-after")))


def _retry_after(header: Optional[str]) -> float:
    if header is None:
        return 0.0
    if header.isdigit():
        return float(header)
    try:
        at = parsedate_to_datetime(header)
    except ValueError:
        return 0.0
    return max((at - datetime.now(timezone.utc)).total_seconds(), 0.0)


@dataclass(frozen=True)
class Retry:
    """How often a call is sent again at most, and the longest wait before that."""

    times: int = 4
    longest_wait_s: float = 30.0

    def wait(self, call: Call, again: int, refusal: Refusal) -> float:
        """Seconds until the next try: full jitter, never before ``Retry-After``. Raises the problem if there is none."""
        too_long = refusal.retry_after_s > self.longest_wait_s
        if again >= self.times or too_long or not call.may_repeat(refusal.problem):
            raise refusal.problem
        return refusal.retry_after_s + self.jitter(again)

    def jitter(self, again: int) -> float:
        """Any time up to a bound that doubles."""
        return random.random() * min(self.longest_wait_s, _FIRST_WAIT_S * 2.0 ** min(again, 30))


class Answer(dict[str, Any]):
    """An object of JSON with the version that its answer named."""

    etag: Optional[str] = None


def answer_of(response: httpx.Response) -> Any:
    """JSON as objects, another type as text, nothing as None."""
    if not response.content:
        return None
    kind = response.headers.get("content-type", "").split(";")[0].strip()
    if kind != "application/json" and not kind.endswith("+json"):
        return response.text
    value = json.loads(response.content)
    if not isinstance(value, dict):
        return value
    answer = Answer(value)
    answer.etag = response.headers.get("etag")
    return answer


def etag_of(answer: Mapping[str, object]) -> str:
    """The version of what was read, for ``if_match``. ``*``: it has none, and has to exist."""
    etag = answer.etag if isinstance(answer, Answer) else None
    return etag or "*"
