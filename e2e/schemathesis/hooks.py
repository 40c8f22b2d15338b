"""Bodies and answers that schemathesis does not know: NDJSON, CSV and MessagePack."""

import json

import msgpack
import schemathesis

NDJSON = ("application/x-ndjson",)
MSGPACK = ("application/msgpack", "application/x-msgpack")


def text_of(value):
    return json.dumps(value, default=str)


@schemathesis.serializer(*NDJSON)
def to_ndjson(_context, value):
    if isinstance(value, bytes):
        return value
    rows = value if isinstance(value, list) else [value]
    return "".join(f"{text_of(row)}\n" for row in rows).encode()


@schemathesis.serializer(*MSGPACK)
def to_msgpack(_context, value):
    if isinstance(value, bytes):
        return value
    try:
        return msgpack.packb(json.loads(text_of(value)))
    except (OverflowError, ValueError):
        # No MessagePack says this: a byte that none begins with stands for it.
        return b"\xc1"


@schemathesis.serializer("text/csv")
def to_csv(_context, value):
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.deserializer(*MSGPACK)
def of_msgpack(_context, response):
    return msgpack.unpackb(response.content, strict_map_key=False)


@schemathesis.hook
def before_call(_context, case, _kwargs):
    """The largest sample of events has 20 GB: it is as long as it was asked to be, and nothing else is learnt from it."""
    rows = str((case.query or {}).get("rows", ""))
    if case.operation.path.endswith("/sample-events") and rows.isdecimal() and 1000 < int(rows) <= 10_000_000:
        case.query["rows"] = "1000"
