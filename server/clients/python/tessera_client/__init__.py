"""A client of the Tessera record store."""

from . import models_gen as models
from ._async_client import AsyncClient
from ._client import Client
from ._core import Retry, etag_of
from ._errors import ApiProblem
from ._exported import async_exported, exported
from ._lines import AsyncLines, Lines
from ._ndjson import ndjson
from ._pages import async_items, items

__all__ = [
    "ApiProblem",
    "AsyncClient",
    "AsyncLines",
    "Client",
    "Lines",
    "Retry",
    "async_exported",
    "async_items",
    "etag_of",
    "exported",
    "items",
    "models",
    "ndjson",
]
