import torch
from torch import nn

class MLP(nn.Module):
    def __init__(self, in_dim: int, hidden: int, out_dim: int):
        super().__init__()
        self.fc1 = nn.Linear(in_dim, hidden)
        self.act = nn.ReLU()
        self.fc2 = nn.Linear(hidden, out_dim)

    def forward(self, x):
        return self.fc2(self.act(self.fc1(x)))

torch.manual_seed(42)
model = MLP(4, 8, 2)
x = torch.ones(3, 4)
y = model(x)
n_params = sum(p.numel() for p in model.parameters())
print("output shape:", y.shape)
print(f"parameters: {n_params:,}")
model.eval()
