import numpy as np


class SoftmaxRegression:
    def __init__(self, n_features: int, n_classes: int, lr: float = 0.5):
        self.W = np.zeros((n_features, n_classes))
        self.b = np.zeros(n_classes)
        self._lr = lr

    @staticmethod
    def _softmax(z: np.ndarray) -> np.ndarray:
        e = np.exp(z - z.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    def fit(self, X, y, epochs=100):
        onehot = np.eye(self.b.size)[y]
        for _ in range(epochs):
            p = self._softmax(X @ self.W + self.b)
            g = (p - onehot) / len(X)
            self.W -= self._lr * X.T @ g
            self.b -= self._lr * g.sum(axis=0)
        return self

    def predict(self, X):
        return (X @ self.W + self.b).argmax(axis=1)


X = np.array([[0.0, 1.0], [1.0, 0.0], [0.9, 0.1], [0.1, 0.8]])
y = np.array([0, 1, 1, 0])
print(SoftmaxRegression(2, 2).fit(X, y).predict(X).tolist())
