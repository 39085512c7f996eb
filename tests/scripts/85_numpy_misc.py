from dataclasses import dataclass, field
from functools import reduce

import numpy as np
from numpy.linalg import inv, norm
from numpy import pi, sin
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass
class Body:
    position: Vector
    velocity: Vector
    mass: float = 1.0
    trail: list = field(default_factory=list)

    def step(self, force: Vector, dt: float) -> None:
        self.velocity = self.velocity + force / self.mass * dt
        self.position = self.position + self.velocity * dt
        self.trail.append(self.position.copy())


body = Body(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
for _ in range(100):
    body.step(-body.position / norm(body.position) ** 3, 0.01)
print(body.position, len(body.trail), body.trail[0])
print(body)

x = np.linspace(0, pi, 5)
print(sin(x).round(6) + 0.0, np.trapezoid(np.sin(x), x).round(6))
coefficients = np.polyfit([0, 1, 2, 3], [1.0, 2.0, 5.0, 10.0], 2)
print(np.allclose(coefficients, [1, 0, 1]), np.polyval([1, 0, 1], 4))
rotation = np.array([[0, -1], [1, 0]])
print(np.linalg.matrix_power(rotation, 4), reduce(np.matmul, [rotation] * 3))
print(inv(np.array([[2.0, 1.0], [1.0, 3.0]])))
for i, row in enumerate(np.eye(2)):
    print(i, row, row.sum())
for (i, j), value in np.ndenumerate(np.array([[1, 2], [3, 4]])):
    print((i, j), value)
a = np.arange(10)
a[a % 2 == 0] *= -1
print(a, a[::-1], a[[1, 3, 5]], a[-3:])
print(np.array([1, 2, 3]) == np.array([1, 5, 3]), np.array_equal([1, 2], [1, 2]))
try:
    np.zeros((2, 3)) @ np.zeros((2, 3))
except ValueError as error:
    print("ValueError:", error)
try:
    np.array([1, 2, 3]) + np.array([1, 2])
except ValueError as error:
    print("ValueError:", error)
try:
    np.linalg.inv(np.ones((2, 2)))
except np.linalg.LinAlgError as error:
    print("LinAlgError:", error)
try:
    np.zeros(3)[7]
except IndexError as error:
    print("IndexError:", error)
with np.errstate(divide="ignore", invalid="ignore"):
    print(np.array([1.0, 0.0, -1.0]) / 0.0)
np.set_printoptions(precision=3, suppress=True)
print(np.array([1e-9, 1.23456789, 1000.5]))
print([np.float64(0.5), np.int64(2)], (np.float32(0.1), np.True_), {"k": np.arange(2)})
print(np.float64(3.0), np.int64(7) // 2, np.sqrt(16), np.mean([1, 2, 3, 4]), 10 ** np.arange(3))
print(type(np.arange(3)), type(np.float64(1)), np.arange(3).dtype, np.arange(3.0).dtype)
print(np.add.reduce([1, 2, 3]), np.maximum.accumulate([1, 3, 2, 5]), np.outer([1, 2], [3, 4]).tolist())
print(np.where(np.arange(5) > 2, "big", "small") if False else np.where(np.arange(5) > 2)[0])
fib = np.array([[1, 1], [1, 0]], dtype=object) if False else np.array([[1, 1], [1, 0]])
print(np.linalg.matrix_power(fib, 30)[0, 1])
primes = np.ones(50, dtype=bool)
primes[:2] = False
for n in range(2, 8):
    if primes[n]:
        primes[n * n :: n] = False
print(np.flatnonzero(primes))
print(np.einsum("ij,jk->ik", np.arange(4).reshape(2, 2), np.eye(2)))
print(np.random.default_rng(1).integers(0, 100, 5), np.random.default_rng(1).permutation(5))
