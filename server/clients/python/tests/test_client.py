"""The client against the server that TESSERA_URL and TESSERA_TOKEN name, over a way that fails."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from itertools import islice
from typing import Any

import httpx
import pytest
from way import Way

from tessera_client import (
    ApiProblem,
    AsyncClient,
    Client,
    Lines,
    Retry,
    async_exported,
    async_items,
    etag_of,
    exported,
    items,
    ndjson,
)

URL, TOKEN = os.environ["TESSERA_URL"], os.environ["TESSERA_TOKEN"]
BIG = 2**63 - 1
REFUSED = {"code": "too_many_requests", "retryable": True}
waits: list[float] = []


@pytest.fixture(scope="session")
def shared_way() -> Iterator[Way]:
    way = Way(URL)
    with Client(way.url, token=TOKEN) as client:
        client.create_namespace({"name": "py", "storage": {"engine": "memory"}, "segments": 16})
        rows = ({"key": key, "bins": {"n": key, "pad": "x" * 200}} for key in range(3000))
        client.write_records("py", "many", ndjson(rows))
    yield way
    way.close()


@pytest.fixture
def way(shared_way: Way) -> Way:
    shared_way.faults.clear()
    shared_way.seen.clear()
    waits.clear()
    return shared_way


@pytest.fixture
def client(way: Way) -> Iterator[Client]:
    with Client(way.url, token=TOKEN, wait=waits.append) as client:
        yield client


def test_calls_answer_json_text_or_nothing(client: Client) -> None:
    assert client.get_status()["healthy"] is True
    assert "tessera_" in client.get_prometheus()
    client.put_record("py", "s", "gone", {})
    client.delete_record("py", "s", "gone")
    with pytest.raises(ApiProblem, match="record_not_found"):
        client.get_record("py", "s", "gone")


def test_integers_are_exact_and_doubles_stay_doubles(client: Client) -> None:
    bins = {"big": BIG, "least": -(2**63), "whole": 1.0, "half": 0.5, "deep": [{"big": BIG}]}
    client.put_record("py", "s", "numbers", bins)
    read = client.get_record("py", "s", "numbers")["bins"]
    assert read == bins
    assert isinstance(read["whole"], float)
    with pytest.raises(ValueError, match="Out of range float values"):
        client.put_record("py", "s", "numbers", {"bad": float("nan")})


def test_keys_are_parts_of_a_path(client: Client) -> None:
    for key in ("a/b ?%ü", 7):
        client.put_record("py", "s", key, {"n": 1})
        assert client.get_record("py", "s", key)["key"] == key
    with pytest.raises(ValueError, match='"key" cannot be ".."'):
        client.get_record("py", "s", "..")


def test_a_problem_has_its_parts(client: Client, way: Way) -> None:
    with pytest.raises(ApiProblem) as caught:
        client.get_namespace("none")
    problem = caught.value
    assert (problem.status, problem.code, problem.retryable) == (404, "namespace_not_found", False)
    assert problem.request_id
    way.faults = [{"status": 404}]
    with pytest.raises(ApiProblem, match="http_404"):
        client.get_status()
    with Client(way.url, token="wrong") as other, pytest.raises(ApiProblem, match="auth_"):
        other.get_status()
    with Client("http://127.0.0.1:1", wait=waits.append) as nowhere, pytest.raises(ApiProblem) as lost:
        nowhere.get_status()
    assert (lost.value.status, lost.value.code, len(waits)) == (0, "gateway_unreachable", 4)


def test_credentials(client: Client, way: Way) -> None:
    client.put_record("py", "s", "kv", {"n": 1})
    with Client(way.url, basic=("any", TOKEN)) as basic:
        assert basic.get_kv("py", "s", "kv")["bins"] == {"n": 1}
    password = "correct horse battery 8 staple"
    client.create_user({"name": "pya", "password": password, "grants": [{"role": "admin"}]})
    with Client(way.url) as session:
        session.create_login({"user": "pya", "password": password})
        assert session.get_me()["user"] == "pya"
        session.change_slow_settings({"thresholdMs": 60})
    with Client(way.url, token=lambda: TOKEN) as renewed:
        assert renewed.get_me()["grants"]


def test_a_change_is_for_what_was_read(client: Client) -> None:
    client.put_record("py", "s", "v", {"n": 1})
    etag = etag_of(client.get_record("py", "s", "v"))
    client.patch_record("py", "s", "v", {"n": 2}, if_match=etag)
    with pytest.raises(ApiProblem, match="generation_mismatch"):
        client.patch_record("py", "s", "v", {"n": 3}, if_match=etag)
    with pytest.raises(ApiProblem, match="record_exists"):
        client.put_record("py", "s", "v", {}, if_none_match="*")


def test_reads_come_through(client: Client, way: Way) -> None:
    way.faults = ["cut before", "cut after", {"status": 503}, {"status": 502}]
    assert client.get_status()["healthy"] is True
    assert (len(way.seen), len(waits)) == (5, 4)


def test_retry_after_is_the_least_wait(client: Client, way: Way) -> None:
    client.put_record("py", "s", "r", {"n": 0})
    way.faults = [{"status": 429, "headers": {"retry-after": "2"}, "body": REFUSED}]
    client.patch_record("py", "s", "r", {"n": 1})
    assert waits[0] >= 2
    way.faults = [{"status": 429, "headers": {"retry-after": "3600"}, "body": REFUSED}]
    with pytest.raises(ApiProblem, match="too_many_requests"):
        client.get_status()
    assert len(waits) == 1


def test_a_post_with_a_key_is_done_once(client: Client, way: Way) -> None:
    way.faults = ["cut after"]
    job = client.start_job({"kind": "count", "namespace": "py"}, wait="10s")
    assert job["kind"] == "count"
    first, second = way.seen
    assert first == second
    assert first[1] is not None
    assert len(list(items(client.list_jobs, namespace="py", kind="count"))) == 1


@pytest.mark.parametrize("send", ["patch", "conditional", "streamed"])
def test_what_may_be_done_is_not_repeated(client: Client, way: Way, send: str) -> None:
    sends: dict[str, Any] = {
        "patch": lambda: client.patch_record("py", "s", "r", {"n": 1}),
        "conditional": lambda: client.put_record("py", "s", "r", {}, if_match='"7"'),
        "streamed": lambda: client.write_records("py", "s", ndjson([{"key": 1, "bins": {}}])),
    }
    way.faults = ["cut before"]
    with pytest.raises(ApiProblem, match="gateway_unreachable"):
        sends[send]()
    assert len(way.seen) == 1


def test_lines(client: Client, way: Way) -> None:
    lines = client.scan_lines("py", {"set": "many"})
    assert sum(1 for _ in lines) == 3000
    assert client.get_job(lines.job_id or "")["state"] == "done"
    way.faults = ["half"]
    read = 0
    with pytest.raises(ApiProblem, match="stream_broken"):
        for _ in client.scan_lines("py", {"set": "many"}):
            read += 1
    assert 0 < read < 3000
    way.faults = ["half"]
    with pytest.raises(ApiProblem, match="stream_broken"):
        client.scan("py", {"set": "many"})


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b'{"key":1}\n{"error":{"code":"row_too_long","message":"too long"}}\n', "row_too_long"),
        (b'{"key":1}\n{"ke', "stream_broken"),
    ],
)
def test_the_last_line_tells_why_there_are_no_more(text: bytes, code: str) -> None:
    with pytest.raises(ApiProblem, match=code):
        list(Lines(httpx.Response(200, content=text)))


def test_a_damaged_record_is_a_line() -> None:
    text = b'{"error":{"code":"record_damaged","message":"damaged","digest":"00"}}\n'
    assert len(list(Lines(httpx.Response(200, content=text)))) == 1


def test_leaving_the_loop_ends_the_work() -> None:
    with Client(URL, token=TOKEN) as direct:
        with direct.scan_lines("py", {"set": "many", "recordsPerSecond": 100}) as lines:
            assert next(iter(lines))["set"] == "many"
        job = direct.get_job(lines.job_id or "", wait="10s")
        assert job["state"] == "aborted"


def test_an_export_goes_on_behind_the_last_record(client: Client, way: Way) -> None:
    way.faults = ["half", "half", {"status": 503}, "half"]
    keys = [record["key"] for record in exported(client, "py", set="many", wait=waits.append)]
    assert sorted(keys) == list(range(3000))
    assert ["after=" in line for line, _ in way.seen] == [False, True, True, True, True]
    way.faults = ["half"]
    with pytest.raises(ApiProblem, match="stream_broken"):
        list(exported(client, "py", set="many", retry=Retry(times=0)))
    with pytest.raises(ApiProblem, match="set_not_found"):
        list(exported(client, "py", set="nobody", wait=waits.append))

    async def work() -> list[int]:
        async def wait(seconds: float) -> None:
            waits.append(seconds)

        async with AsyncClient(way.url, token=TOKEN) as other:
            way.faults = ["half"]
            return [record["key"] async for record in async_exported(other, "py", set="many", wait=wait)]

    assert sorted(asyncio.run(work())) == list(range(3000))


def test_an_upload_is_taken_from_an_iterator(client: Client) -> None:
    rows = (f"{at},name {at}\n".encode() if at else b"id,name\n" for at in range(5001))
    report = client.import_records("py", rows, set="people", key="id", format="csv")
    assert report["inserted"] == 5000


def test_all_pages_are_one_iterator(client: Client, way: Way) -> None:
    assert sum(1 for _ in items(client.list_segments, "py", limit=3)) == 16
    assert len(way.seen) == 6


def test_live_connects_again(client: Client, way: Way) -> None:
    way.faults = ["cut before", {"status": 503}]
    frames = list(islice(client.live(topics="latency"), 2))
    assert [set(frame) >= {"seq", "latency"} for frame in frames] == [True, True]
    assert len(way.seen) == 3
    with Client(way.url, token="wrong") as other, pytest.raises(ApiProblem, match="auth_"):
        next(other.live())


def test_the_same_with_asyncio(way: Way) -> None:
    async def work() -> tuple[bool, int, int, int]:
        async def wait(seconds: float) -> None:
            waits.append(seconds)

        async with AsyncClient(way.url, token=TOKEN, wait=wait) as client:
            way.faults = ["cut before", {"status": 503}]
            healthy = (await client.get_status())["healthy"]
            lines = sum([1 async for _ in await client.scan_lines("py", {"set": "many"})])
            segments = [one async for one in async_items(client.list_segments, "py", limit=5)]
            way.faults = ["half"]
            with pytest.raises(ApiProblem, match="stream_broken"):
                _ = [one async for one in await client.scan_lines("py", {"set": "many"})]
            with pytest.raises(ApiProblem, match="namespace_not_found"):
                await client.get_namespace("none")
            way.faults = ["cut before"]
            async for frame in client.live(topics="latency"):
                return healthy, lines, len(segments), frame["seq"]
        raise AssertionError("no frame came")

    healthy, lines, segments, seq = asyncio.run(work())
    assert (healthy, lines, segments) == (True, 3000, 16)
    assert seq > 0
