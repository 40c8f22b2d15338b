"""Options of both clients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Optional, Union

import httpx

#: A live connection that says nothing for so long counts as lost: the server says something each 15 s.
SILENCE_S = 20.0
CONNECT_S = 10.0
LIVE_LONGEST_WAIT_S = 5.0


@dataclass(frozen=True)
class Credentials:
    """A token, or user and password of the compatible API. Without either, a session of ``create_login`` is used."""

    token: Union[str, Callable[[], str], None] = None
    basic: Optional[tuple[str, str]] = None

    def apply(self, request: httpx.Request) -> None:
        if self.token is not None:
            token = self.token if isinstance(self.token, str) else self.token()
            request.headers["authorization"] = f"Bearer {token}"
        elif self.basic is not None:
            next(httpx.BasicAuth(*self.basic).sync_auth_flow(request))


def timeouts(seconds: Optional[float]) -> httpx.Timeout:
    return httpx.Timeout(seconds, connect=CONNECT_S)
