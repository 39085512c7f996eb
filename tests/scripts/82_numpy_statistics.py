import json

import numpy as np


class NumpyEncoder(json.JSONEncoder):
    def default(self, obj):
        if isinstance(obj, np.integer):
            return int(obj)
        if isinstance(obj, np.floating):
            return float(obj)
        if isinstance(obj, np.ndarray):
            return obj.tolist()
        if isinstance(obj, np.bool_):
            return bool(obj)
        return super().default(obj)


data = np.array([12.5, 15.2, 9.8, 22.1, 18.4, 11.0, 30.5, 14.7, np.nan, 16.3])
clean = data[~np.isnan(data)]
q1, med, q3 = np.percentile(clean, [25, 50, 75])
summary = {
    "count": clean.size,
    "missing": np.isnan(data).sum(),
    "mean": clean.mean().round(3),
    "std": np.std(clean, ddof=1).round(3),
    "median": med,
    "iqr": q3 - q1,
    "outliers": clean[(clean < q1 - 1.5 * (q3 - q1)) | (clean > q3 + 1.5 * (q3 - q1))],
    "argmax": np.nanargmax(data),
    "sorted": np.sort(clean)[::-1][:3],
    "any_negative": (clean < 0).any(),
}
print(json.dumps(summary, cls=NumpyEncoder, indent=1))
hist, edges = np.histogram(clean, bins=4)
for count, low, high in zip(hist, edges[:-1], edges[1:]):
    print(f"{low:6.2f} - {high:6.2f} | {'#' * count}")
values, counts = np.unique([3, 1, 2, 3, 3, 1], return_counts=True)
print(dict(zip(values.tolist(), counts.tolist())))
print(dict(zip(values, counts)))
z = (clean - clean.mean()) / clean.std()
print(z)
print(np.cov(clean[:4], clean[4:8]))
print(np.cumsum(clean) / np.arange(1, clean.size + 1))
window = np.convolve(clean, np.ones(3) / 3, mode="valid")
print(window.round(2))
table = np.arange(12).reshape(3, 4)
print(table)
print(table.mean(axis=0), table.std(axis=1), table.sum())
print(f"{table.mean():.3f} {table.max()} {table.min()!r} {np.median(table)}")
