"""Linear regression three ways, as a model would write it."""
import numpy as np


def make_data(n: int = 50, seed: int = 42):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(n, 2))
    true_w = np.array([2.0, -1.5])
    y = X @ true_w + 0.7 + rng.normal(scale=0.1, size=n)
    return X, y


def normal_equation(X, y):
    Xb = np.hstack([np.ones((X.shape[0], 1)), X])
    return np.linalg.solve(Xb.T @ Xb, Xb.T @ y)


def gradient_descent(X, y, lr=0.05, steps=500):
    Xb = np.c_[np.ones(len(X)), X]
    w = np.zeros(Xb.shape[1])
    history = []
    for step in range(steps):
        residual = Xb @ w - y
        w -= lr * 2 * Xb.T @ residual / len(y)
        if step % 100 == 0:
            history.append(float(np.mean(residual**2)))
    return w, history


X, y = make_data()
print("data:", X.shape, y.shape, X.dtype)
w = normal_equation(X, y)
print("normal equation:", np.round(w, 4))
w2, history = gradient_descent(X, y)
print("gradient descent:", np.round(w2, 4))
print("losses:", [f"{loss:.5f}" for loss in history])
print("close:", np.allclose(w, w2, atol=1e-6))
w3, residuals, rank, sv = np.linalg.lstsq(np.column_stack([np.ones(len(X)), X]), y, rcond=None)
print("lstsq:", w3.round(4), "rank", rank, "residual", residuals.round(4))
pred = np.hstack([np.ones((len(X), 1)), X]) @ w
ss_res = np.sum((y - pred) ** 2)
ss_tot = np.sum((y - y.mean()) ** 2)
print(f"R^2 = {1 - ss_res / ss_tot:.6f}")
print("corr:", np.corrcoef(pred, y)[0, 1].round(6))
