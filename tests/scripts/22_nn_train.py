import torch
import random

random.seed(0)
torch.manual_seed(0)

# y = 3x + 1 with manual gradient descent
xs = [i / 10 for i in range(20)]
ys = [3 * x + 1 + random.uniform(-0.01, 0.01) for x in xs]
w, b = 0.0, 0.0
lr = 0.1
losses = []
for epoch in range(200):
    grad_w = grad_b = loss = 0.0
    for x, y in zip(xs, ys):
        err = (w * x + b) - y
        loss += err ** 2
        grad_w += 2 * err * x
        grad_b += 2 * err
    w -= lr * grad_w / len(xs)
    b -= lr * grad_b / len(xs)
    losses.append(loss / len(xs))
print(f"w={w:.2f} b={b:.2f} loss {losses[0]:.3f} -> {losses[-1]:.5f}")
assert losses[-1] < losses[0]
t = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
t2 = t @ t.T
print(t2.tolist(), (t * 2 + 1).sum().item())
