import numpy as np

np.random.seed(0)


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


class MLP:
    def __init__(self, sizes):
        self.weights = [np.random.randn(i, o) * np.sqrt(2.0 / i) for i, o in zip(sizes[:-1], sizes[1:])]
        self.biases = [np.zeros((1, o)) for o in sizes[1:]]

    def forward(self, x):
        self._cache = [x]
        for i, (w, b) in enumerate(zip(self.weights, self.biases)):
            z = self._cache[-1] @ w + b
            a = sigmoid(z) if i == len(self.weights) - 1 else np.maximum(0, z)
            self._cache.append(a)
        return self._cache[-1]

    def backward(self, y, lr):
        m = y.shape[0]
        delta = (self._cache[-1] - y) / m
        for i in reversed(range(len(self.weights))):
            grad_w = self._cache[i].T @ delta
            grad_b = delta.sum(axis=0, keepdims=True)
            if i:
                delta = (delta @ self.weights[i].T) * (self._cache[i] > 0)
            self.weights[i] -= lr * grad_w
            self.biases[i] -= lr * grad_b


X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
y = np.array([[0], [1], [1], [0]])
net = MLP([2, 8, 1])
for epoch in range(2001):
    out = net.forward(X)
    loss = -np.mean(y * np.log(out + 1e-9) + (1 - y) * np.log(1 - out + 1e-9))
    net.backward(y, 0.5)
    if epoch % 500 == 0:
        print(f"epoch {epoch:4d} loss {loss:.4f} acc {np.mean((out > 0.5) == y):.2f}")
print((net.forward(X) > 0.5).astype(int).ravel())
print([w.shape for w in net.weights], sum(w.size for w in net.weights))
print(type(loss).__name__, isinstance(loss, float))
