"""`/api/tensors`: every format in, every format out, on disk before the answer."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import io
import logging
from collections.abc import Callable
from typing import Any

import httpx2
import numpy as np
import pytest
import safetensors.numpy

from api.errors import TensorNotFound, TensorReplaced

NPY = "application/x-npy"
SAFETENSORS = "application/vnd.safetensors"
RAW = "application/octet-stream"
ARRAYS = {
    "f16": np.array([[1.5, -0.0, np.inf], [np.nan, 6e-8, 65504]], np.float16),
    "f32": np.array([[1.5, -0.0, np.inf], [np.nan, 1e-45, 3.4e38]], np.float32),
    "i32": np.array([[-(2**31), 0, 2**31 - 1]], np.int32),
    "u32": np.array([0, 2**32 - 1], np.uint32),
    "i64": np.array([[-(2**63), 0, 2**53 + 1, 2**63 - 1]], np.int64),
    "i16": np.array([[-(2**15), 5, 2**15 - 1]], np.int16),
    "u16": np.array([0, 2**16 - 1, 7], np.uint16),
    "i8": np.array([[-128], [127], [3]], np.int8),
    "u8": np.array([0, 255, 1, 2, 3], np.uint8),
    "bool": np.array([[True], [False]]),
}


def npy(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def upload(http: httpx2.Client, array: Any) -> dict[str, Any]:
    response = http.post("/api/tensors", content=npy(array), headers={"Content-Type": NPY})
    assert response.status_code == 201, response.text
    answer: dict[str, Any] = response.json()
    return answer


@pytest.mark.parametrize("dtype", sorted(ARRAYS))
@pytest.mark.parametrize("size", ["small", "large"])
def test_a_tensor_comes_back_as_it_went_up_in_every_format(
    http: httpx2.Client, dtype: str, size: str
) -> None:
    array = ARRAYS[dtype] if size == "small" else np.tile(ARRAYS[dtype], (1, 50_000))
    record = upload(http, array)
    assert (record["shape"], record["dtype"], record["nbytes"]) == (list(array.shape), dtype, array.nbytes)
    url = f"/api/tensors/{record['id']}/data"
    read = np.load(io.BytesIO(http.get(url, headers={"Accept": NPY}).content))
    np.testing.assert_array_equal(read, array)
    assert http.get(url, params={"format": "raw"}).content == array.tobytes()
    (value,) = safetensors.numpy.load(http.get(url, headers={"Accept": SAFETENSORS}).content).values()
    np.testing.assert_array_equal(value, array)
    inner = http.get(url, headers={"Accept": "application/json"}).json()["$tensor"]
    assert (inner["shape"], inner["dtype"]) == (list(array.shape), dtype)
    again = http.post("/api/tensors", json={"$tensor": inner})
    assert again.status_code == 201
    assert http.get(f"/api/tensors/{again.json()['id']}/data?format=raw").content == array.tobytes()


def test_without_a_wish_small_tensors_are_json_and_large_ones_npy(http: httpx2.Client) -> None:
    small, large = upload(http, np.zeros(65_536, np.float32)), upload(http, np.zeros(65_537, np.float32))
    assert http.get(f"/api/tensors/{small['id']}/data").headers["content-type"] == "application/json"
    assert http.get(f"/api/tensors/{large['id']}/data").headers["content-type"] == NPY


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6, dtype=">f4").reshape(2, 3),
        np.arange(5, dtype=">f2"),
        np.asfortranarray(np.arange(60_000, dtype=np.int32).reshape(200, 300)),
        np.asfortranarray(np.arange(6, dtype=">u4").reshape(2, 3)),
        np.float32(4.5),
        np.zeros((0, 3), np.float32),
    ],
    ids=["big-endian", "big-endian halves", "fortran", "both", "scalar", "empty"],
)
def test_unusual_npy_files_are_put_right(http: httpx2.Client, array: Any) -> None:
    record = upload(http, array)
    read = np.load(io.BytesIO(http.get(f"/api/tensors/{record['id']}/data", headers={"Accept": NPY}).content))
    assert read.shape == np.shape(array)
    np.testing.assert_array_equal(read, array)


def test_a_safetensors_file_becomes_a_tensor_for_each_name(http: httpx2.Client) -> None:
    arrays = {
        "w": np.arange(30_000, dtype=np.float32),
        "b": np.array([True]),
        "empty": np.zeros((0,), np.int32),
    }
    body = safetensors.numpy.save(arrays)
    answer = http.post("/api/tensors", content=body, headers={"Content-Type": SAFETENSORS})
    assert answer.status_code == 201
    for name, record in answer.json()["tensors"].items():
        raw = http.get(f"/api/tensors/{record['id']}/data?format=raw").content
        assert raw == arrays[name].tobytes()
    assert answer.json()["tensors"].keys() == arrays.keys()


def test_raw_bytes_need_dtype_and_shape(http: httpx2.Client) -> None:
    array = np.arange(6, dtype=np.int32)
    url = "/api/tensors?dtype=i32&shape=2,3"
    answer = http.post(url, content=array.tobytes(), headers={"Content-Type": RAW})
    assert (answer.status_code, answer.json()["shape"]) == (201, [2, 3])
    lacking = http.post("/api/tensors?dtype=i32", content=array.tobytes(), headers={"Content-Type": RAW})
    assert (lacking.status_code, lacking.json()["code"]) == (422, "invalid_request")


def test_a_npy_file_is_recognised_without_a_content_type(http: httpx2.Client) -> None:
    answer = http.post("/api/tensors", content=npy(np.ones(3, np.float32)))
    assert (answer.status_code, answer.json()["shape"]) == (201, [3])


def test_bytes_of_a_bool_other_than_zero_count_as_true(http: httpx2.Client) -> None:
    answer = http.post(
        "/api/tensors?dtype=bool&shape=3", content=b"\0\x01\xff", headers={"Content-Type": RAW}
    )
    data = http.get(f"/api/tensors/{answer.json()['id']}/data").json()["$tensor"]["data"]
    assert data == [False, True, True]


@pytest.mark.parametrize(
    ("content", "kind", "status", "code", "says"),
    [
        (npy(np.zeros(3)), NPY, 422, "dtype_mismatch", "'<f8'"),
        (npy(np.zeros(3, np.float32))[:-1], NPY, 422, "malformed_tensor", "1 bytes before"),
        (npy(np.zeros(3, np.float32)) + b"x", NPY, 422, "malformed_tensor", "more bytes"),
        (b"\x93NUMPY", NPY, 422, "malformed_tensor", "within its header"),
        (b"", NPY, 422, "malformed_tensor", ""),
        (b"hello", NPY, 422, "malformed_tensor", "not a .npy file"),
        (b"\x08", SAFETENSORS, 422, "malformed_tensor", "within its header"),
        (b"hello", "image/png", 415, "unsupported_media_type", "image/png"),
        (b"hello", RAW, 415, "unsupported_media_type", ""),
        (b"{", "application/json", 400, "malformed_json", ""),
        (b"[]", "application/json", 422, "malformed_tensor", "is an object"),
        (b'{"id": "ten_1"}', "application/json", 422, "invalid_request", "names a tensor"),
    ],
)
def test_a_body_that_is_no_tensor_is_refused(
    http: httpx2.Client, content: bytes, kind: str, status: int, code: str, says: str
) -> None:
    answer = http.post("/api/tensors", content=content, headers={"Content-Type": kind})
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert says in answer.json()["detail"]
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_tensor_is_replaced_under_its_id(http: httpx2.Client) -> None:
    record = upload(http, np.zeros(3, np.float32))
    url = f"/api/tensors/{record['id']}"
    answer = http.put(f"{url}/data", content=npy(np.ones((2, 2), np.int32)), headers={"Content-Type": NPY})
    assert (answer.status_code, answer.json()["id"], answer.json()["dtype"]) == (200, record["id"], "i32")
    assert http.get(f"{url}/data").json()["$tensor"]["data"] == [1, 1, 1, 1]
    answer = http.put(url, json={"shape": [1], "dtype": "bool", "data": [True]})
    assert http.get(url).json()["dtype"] == "bool"
    body = safetensors.numpy.save({"a": np.zeros(1, np.float32), "b": np.zeros(1, np.float32)})
    assert http.put(url, content=body, headers={"Content-Type": SAFETENSORS}).status_code == 422


def test_a_forgotten_tensor_is_gone(http: httpx2.Client) -> None:
    url = f"/api/tensors/{upload(http, np.zeros(3, np.float32))['id']}"
    assert http.delete(url).status_code == 204
    for method, path in (("GET", url), ("GET", f"{url}/data"), ("DELETE", url), ("PUT", url)):
        answer = http.request(method, path, content=npy(np.zeros(1, np.float32)))
        assert (answer.status_code, answer.json()["code"]) == (404, "tensor_not_found")


@pytest.mark.parametrize("size", [10, 10_000], ids=["in its row", "in a blob"])
def test_a_tensor_that_goes_after_its_record_was_read_is_not_found_and_leaves_nothing_on_the_device(
    running: Any, size: int
) -> None:
    """A request that takes it as another one deletes it."""
    made, store = upload(running.http, np.arange(size)), running.server.runtime.tensors

    async def scenario() -> None:
        identity = await running.server.runtime.keys.check(running.key)
        record = await store.get(identity, made["id"])
        store._cache.clear()
        found = asyncio.create_task(store.get(identity, made["id"]))
        await asyncio.gather(store.delete(record), found, return_exceptions=True)
        with pytest.raises(TensorNotFound):
            await store.get(identity, made["id"])
        with pytest.raises(TensorNotFound):
            await store.pin(record)
        assert store._residency._current(made["id"]) is None
        if size > 10:
            with pytest.raises(TensorNotFound):
                async with store.elements(record):
                    pytest.fail("its blob is gone")

    asyncio.run_coroutine_threadsafe(scenario(), running.server._loop).result(60)


@pytest.mark.parametrize("size", [10, 10_000], ids=["in its row", "in a blob"])
@pytest.mark.parametrize("is_resident", [False, True], ids=["on disk", "on the device"])
def test_a_tensor_that_is_replaced_after_its_record_was_read_is_never_taken_for_the_other(
    running: Any, size: int, is_resident: bool
) -> None:
    """A request that takes it as another one replaces it, by one of another dtype."""
    http, store = running.http, running.server.runtime.tensors
    made = upload(http, np.arange(size, dtype=np.float32))
    url, twice = f"/api/tensors/{made['id']}", {"inputs": [{"$tensor": {"id": made["id"]}}, 2]}

    async def find() -> Any:
        return await store.get(await running.server.runtime.keys.check(running.key), made["id"])

    async def pinned(record: Any) -> None:
        store.unpin(await store.pin(record))

    def in_server(work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, running.server._loop).result(60)

    old = in_server(find())
    other = np.arange(size, dtype=np.int32) + 1
    assert http.put(f"{url}/data", content=npy(other), headers={"Content-Type": NPY}).status_code == 200
    if is_resident:
        in_server(pinned(in_server(find())))
    with pytest.raises(TensorReplaced, match="was replaced before it was read"):
        in_server(pinned(old))
    doubled = http.post("/api/ops/mul", json=twice).json()["output"]["$tensor"]["id"]
    found = http.get(f"/api/tensors/{doubled}/data?format=raw").content
    assert np.array_equal(np.frombuffer(found, np.int32), 2 * other)
    if size > 10:
        with pytest.raises(TensorReplaced):
            in_server(read(store, old))


async def read(store: Any, record: Any) -> None:
    async with store.elements(record):
        pytest.fail("its blob is gone")


def test_equal_uploads_share_a_blob_until_the_last_one_goes(http: httpx2.Client, running: Any) -> None:
    array = np.random.default_rng(3).random(50_000, dtype=np.float32)
    first, second = upload(http, array), upload(http, array)
    blob = running.settings.data / "blobs" / hashlib.sha256(array.tobytes()).hexdigest()
    assert blob.read_bytes() == array.tobytes()
    http.delete(f"/api/tensors/{first['id']}")
    assert blob.exists()
    http.delete(f"/api/tensors/{second['id']}")
    assert not blob.exists()


def test_tensors_are_listed_in_pages_newest_first(running: Any) -> None:
    http = running.client_for("pager")
    ids = [upload(http, np.full(3, n, np.float32))["id"] for n in range(5)]
    found, before = [], None
    for _ in range(3):
        page = http.get("/api/tensors", params={"limit": 2, **({"before": before} if before else {})}).json()
        found += [record["id"] for record in page["tensors"]]
        before = page["next"]
    assert sorted(found) == sorted(ids)
    assert before is None


def test_somebody_elses_tensor_does_not_exist(http: httpx2.Client, running: Any) -> None:
    url = f"/api/tensors/{upload(http, np.zeros(3, np.float32))['id']}"
    other = running.key_for("stranger")
    for method in ("GET", "PUT", "DELETE"):
        answer = http.request(method, url, headers=other, content=npy(np.zeros(1, np.float32)))
        assert (answer.status_code, answer.json()["code"]) == (404, "tensor_not_found")


def test_uploads_survive_a_restart_and_the_outputs_of_ops_do_not(start: Callable[..., Any]) -> None:
    array = np.random.default_rng(4).random(30_000, dtype=np.float32)
    with start() as running:
        small, large = upload(running.http, array[:10]), upload(running.http, array)
        wire = {"$tensor": {"id": small["id"]}}
        output = running.http.post("/api/ops/neg", json={"inputs": [wire]}).json()["output"]["$tensor"]
        assert running.http.get(f"/api/tensors/{output['id']}").json()["stored"] is False
        data = running.settings.data
    with start(data=data) as running:
        assert running.http.get(f"/api/tensors/{small['id']}/data?format=raw").content == array[:10].tobytes()
        assert running.http.get(f"/api/tensors/{large['id']}/data?format=raw").content == array.tobytes()
        answer = running.http.post("/api/ops/neg", json={"inputs": [wire]})
        assert answer.json()["output"]["$tensor"]["data"] == (-array[:10]).tolist()
        assert running.http.get(f"/api/tensors/{output['id']}").json()["code"] == "tensor_not_found"


def test_an_upload_over_the_limit_is_refused_by_its_header(start: Callable[..., Any]) -> None:
    with start(upload_bytes=100_000, json_bytes=1000) as running:
        body = npy(np.zeros(50_000, np.float32))
        answer = running.http.post("/api/tensors", content=body, headers={"Content-Type": NPY})
        assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")
        answer = running.http.post("/api/tensors", content=iter([body[:128]]), headers={"Content-Type": NPY})
        assert (answer.status_code, answer.json()["code"]) == (422, "malformed_tensor")
        answer = running.http.post("/api/tensors", json={"shape": [500], "dtype": "f32", "data": [1.5] * 500})
        assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")
        assert not list((running.settings.data / "blobs" / "new").iterdir())


def test_a_download_that_is_left_is_no_incident(
    http: httpx2.Client, running: Any, wait_until: Any, caplog: pytest.LogCaptureFixture
) -> None:
    count = 10_000_000
    made = http.post(
        f"/api/tensors?dtype=f32&shape={count}",
        content=bytes(4 * count),
        headers={"Content-Type": "application/octet-stream"},
    ).json()
    for _ in range(5):
        with http.stream("GET", f"/api/tensors/{made['id']}/data?format=raw") as answer:
            next(answer.iter_raw())
    wait_until(lambda: not running.server.server_state.tasks, "no request is in progress")
    gc.collect()
    assert http.get("/healthz").status_code == 200
    assert not [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def test_damaged_elements_are_an_error_of_their_own_until_they_are_uploaded_again(
    running: Any, http: httpx2.Client
) -> None:
    array = np.arange(10_000, dtype=np.float32)
    record, other = upload(http, array), upload(http, array + 1)
    blobs = running.settings.data / "blobs"
    (blobs / hashlib.sha256(array.tobytes()).hexdigest()).write_bytes(bytes(array.nbytes))
    wire = {"$tensor": {"id": record["id"]}}
    for answer in (
        http.get(f"/api/tensors/{record['id']}/data"),
        http.post("/api/ops/neg", json={"inputs": [wire]}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (500, "blob_corrupt"), answer.text
    url = f"/api/tensors/{other['id']}/data?format=raw"
    assert http.get(url).content == (array + 1).tobytes()
    upload(http, array)
    url = f"/api/tensors/{record['id']}/data?format=raw"
    assert http.get(url).content == array.tobytes()
