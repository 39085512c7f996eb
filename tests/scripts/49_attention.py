import math
import torch
from torch.nn import functional as F

def attention(q, k, v):
    """Scaled dot-product attention on nested lists."""
    d = len(q[0])
    scores = [[sum(a * b for a, b in zip(qi, kj)) / math.sqrt(d) for kj in k] for qi in q]
    weights = [F.softmax(torch.tensor(row)).tolist() for row in scores]
    return [[sum(w * vj[c] for w, vj in zip(ws, v)) for c in range(len(v[0]))] for ws in weights]

q = [[1.0, 0.0], [0.0, 1.0]]
k = [[1.0, 0.0], [0.0, 1.0]]
v = [[1.0, 2.0], [3.0, 4.0]]
for row in attention(q, k, v):
    print(["%.3f" % x for x in row])
