import numpy as np


def step(grid: np.ndarray) -> np.ndarray:
    neighbours = sum(
        np.roll(np.roll(grid, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)
    )
    return ((neighbours == 3) | ((grid == 1) & (neighbours == 2))).astype(int)


grid = np.zeros((8, 8), dtype=int)
grid[1, 2] = grid[2, 3] = 1
grid[3, 1:4] = 1
for generation in range(4):
    print(f"generation {generation}: {grid.sum()} alive, bbox rows {np.where(grid.any(axis=1))[0]}")
    grid = step(grid)
print("\n".join("".join("#" if cell else "." for cell in row) for row in grid))
ys, xs = np.nonzero(grid)
print(list(zip(ys, xs)))
print(np.argwhere(grid).tolist())

image = np.arange(36, dtype=np.float64).reshape(6, 6)
kernel = np.array([[1, 0, -1], [2, 0, -2], [1, 0, -1]])
out = np.zeros((4, 4))
for i in range(4):
    for j in range(4):
        out[i, j] = np.sum(image[i : i + 3, j : j + 3] * kernel)
print(out)
pooled = image.reshape(3, 2, 3, 2).max(axis=(1, 3))
print(pooled)
print(np.pad(pooled, 1))
mask = image > image.mean()
print(mask.astype(np.uint8))
print(image[mask].size, image[::2, ::-2].tolist())
board = np.full((3, 3), -1)
board[np.diag_indices(3)] = [1, 0, 1]
board[0, 2] = 0
print(board, (board == 1).sum(axis=0), np.trace(board), np.fliplr(board).diagonal())
