"""Bodies of lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any


def ndjson(values: Iterable[Any]) -> Iterator[bytes]:
    """Prints each value as a line of JSON, for uploads and batches of any length."""
    for value in values:
        yield json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"
