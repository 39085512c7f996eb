import warnings

import numpy as np

rng = np.random.default_rng(7)
a = rng.normal(size=(40, 40))
q, r = np.linalg.qr(a)
print(np.allclose(q @ r, a), np.allclose(np.linalg.inv(a) @ a, np.eye(40)))
print(np.round(np.linalg.svd(a, compute_uv=False)[:3], 6).tolist())
print(np.allclose(np.sort(np.linalg.eigvals(a @ a.T).real), np.sort(np.linalg.eigvalsh(a @ a.T))))
print(np.linalg.det(np.array([[1.0, 2.0], [3.0, 4.0]])), np.linalg.matrix_rank(a))
signal = np.sin(np.arange(1024) * 2 * np.pi / 64)
print(int(np.abs(np.fft.rfft(signal)).argmax()), np.allclose(np.fft.ifft(np.fft.fft(signal)).real, signal))
print(rng.integers(0, 100, 5).tolist(), rng.permutation(5).tolist(), rng.choice(9, 3).tolist())
print(np.random.RandomState(3).rand(2).tolist())
print(np.einsum("ij,jk->ik", a[:2, :3], a[:3, :2]).shape, np.polynomial.Polynomial([1, 2, 3])(2.0))
print(
    np.ma.array([1, 2, 3], mask=[0, 1, 0]).sum(),
    np.strings.upper(np.array(["ab"])),
    np.datetime64("2024-02-28") + 2,
)
print(np.array([1 / 3, 1e-10]), np.float32(0.1), repr(np.arange(3)), np.array([1, "a"], dtype=object))
print(
    np.lib.stride_tricks.sliding_window_view(np.arange(5), 2).tolist(),
    np.unique([3, 1, 3], return_counts=True),
)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    print(np.ones(2) / 0, np.sqrt(-1.0))
try:
    np.linalg.inv(np.zeros((2, 2)))
except np.linalg.LinAlgError as error:
    print(error)
big = rng.random((300, 300), dtype=np.float32)
print(
    big.dtype,
    np.allclose(big @ big, np.dot(big, big)),
    np.zeros(1 << 20).sum(),
    np.sort(rng.random(50_000))[0] >= 0,
)
