"""Trains the two-layer classifier of `digits_model.py` with NumPy and writes `digits_weights.npz`.

Plain gradient descent with momentum on the softmax cross-entropy; the seed is fixed. Takes a few seconds.
"""

from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
HIDDEN, EPOCHS, BATCH, RATE, MOMENTUM, DECAY = 48, 60, 64, 0.1, 0.9, 1e-4


def gradients(
    weights: dict[str, np.ndarray], images: np.ndarray, labels: np.ndarray
) -> dict[str, np.ndarray]:
    """The gradients of the mean cross-entropy over one batch, by hand."""
    hidden = np.maximum(images @ weights["w1"] + weights["b1"], 0)
    scores = hidden @ weights["w2"] + weights["b2"]
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    error = odds / odds.sum(axis=1, keepdims=True)
    error[np.arange(len(labels)), labels] -= 1
    error /= len(labels)
    back = (error @ weights["w2"].T) * (hidden > 0)
    return {"w1": images.T @ back, "b1": back.sum(0), "w2": hidden.T @ error, "b2": error.sum(0)}


def train(images: np.ndarray, labels: np.ndarray) -> dict[str, np.ndarray]:
    """The trained weights, as f32: w1 [64, 48], b1 [48], w2 [48, 10], b2 [10]."""
    random = np.random.default_rng(7)
    weights = {
        "w1": random.normal(0, (2 / 64) ** 0.5, (64, HIDDEN)),
        "b1": np.zeros(HIDDEN),
        "w2": random.normal(0, (2 / HIDDEN) ** 0.5, (HIDDEN, 10)),
        "b2": np.zeros(10),
    }
    velocity = {name: np.zeros_like(value) for name, value in weights.items()}
    for _ in range(EPOCHS):
        order = random.permutation(len(labels))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            for name, gradient in gradients(weights, images[batch], labels[batch]).items():
                velocity[name] = MOMENTUM * velocity[name] - RATE * (gradient + DECAY * weights[name])
                weights[name] = weights[name] + velocity[name]
    return {name: value.astype(np.float32) for name, value in weights.items()}


def accuracy(weights: dict[str, np.ndarray], images: np.ndarray, labels: np.ndarray) -> float:
    """The share of `images` that the classifier gets right."""
    hidden = np.maximum(images @ weights["w1"] + weights["b1"], 0)
    return float(((hidden @ weights["w2"] + weights["b2"]).argmax(1) == labels).mean())


def main() -> None:
    """Train on the training split, write the weights, and print the accuracy over the test split."""
    digits = np.load(HERE / "digits.npz")
    weights = train(digits["train_images"].astype(np.float64), digits["train_labels"])
    np.savez_compressed(HERE / "digits_weights.npz", **weights)
    print(f"accuracy {accuracy(weights, digits['test_images'], digits['test_labels']):.4f}")


if __name__ == "__main__":
    main()
