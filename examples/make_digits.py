"""Makes `digits.npz` from scikit-learn's copy of the UCI handwritten digits. Run once; needs scikit-learn.

Images become f32 in 0…1, shape [n, 64]; labels i32, shape [n]. A quarter is kept apart as the test split.
"""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

TEST = 450


def main() -> None:
    """Write `digits.npz` beside this file."""
    digits = load_digits()
    order = np.random.default_rng(7).permutation(len(digits.target))
    images = (digits.data / 16).astype(np.float32)[order]
    labels = digits.target.astype(np.int32)[order]
    np.savez_compressed(
        Path(__file__).with_name("digits.npz"),
        train_images=images[TEST:],
        train_labels=labels[TEST:],
        test_images=images[:TEST],
        test_labels=labels[:TEST],
    )


if __name__ == "__main__":
    main()
