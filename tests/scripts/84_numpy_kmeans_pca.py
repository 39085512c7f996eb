import numpy as np

rng = np.random.default_rng(123)
centers = np.array([[0, 0], [5, 5], [0, 6]])
points = np.vstack([rng.normal(c, 0.6, size=(20, 2)) for c in centers])
rng.shuffle(points)


def kmeans(x, k, iterations=20):
    chosen = rng.choice(len(x), k, replace=False)
    mu = x[chosen].copy()
    for i in range(iterations):
        distances = np.linalg.norm(x[:, None, :] - mu[None, :, :], axis=2)
        labels = distances.argmin(axis=1)
        new = np.array([x[labels == j].mean(axis=0) if np.any(labels == j) else mu[j] for j in range(k)])
        if np.allclose(new, mu):
            break
        mu = new
    return mu, labels, i


mu, labels, iterations = kmeans(points, 3)
order = np.lexsort((mu[:, 1], mu[:, 0]))
print(mu[order].round(3))
print(np.bincount(labels)[order], iterations < 20)
centred = points - points.mean(axis=0)
cov = centred.T @ centred / (len(points) - 1)
print(np.allclose(cov, np.cov(points.T)), cov)
eigenvalues, eigenvectors = np.linalg.eigh(cov)
print("explained:", (eigenvalues[::-1] / eigenvalues.sum()).round(4))
projected = centred @ eigenvectors[:, ::-1]
print(projected.var(axis=0, ddof=1).round(4), np.abs(projected.mean(axis=0)).max() < 1e-9)
u, s, vt = np.linalg.svd(centred, full_matrices=False)
print(u.shape, s.round(4), vt.shape, np.allclose((u * s) @ vt, centred))
dist = np.sqrt(((points[:5, None] - points[None, :5]) ** 2).sum(-1))
print(dist.round(2))
print(np.unravel_index(np.argmax(dist), dist.shape))
