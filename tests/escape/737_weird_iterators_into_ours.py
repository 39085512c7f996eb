# source: own: containers that change while ours read them
import torch, numpy as np, json
class L(list):
    def __iter__(self): self.clear(); return iter([1, 2, 3])
    def __len__(self): return 10 ** 9
class D(dict):
    def items(self): return [("a", self)]
    def keys(self): return ["__class__"]
class S(str):
    def encode(self, *a): return b"\xff" * 10
    def __len__(self): return 10 ** 9
    def __str__(self): return "evil"
class I(int):
    def __index__(self): return 10 ** 30
    def __int__(self): return -5
for f in (lambda: torch.tensor(L([1])), lambda: np.array(L([1])), lambda: torch.ones(I(3)), lambda: kernels.run(S("x"), **{"y": kernels.output(I(3))}), lambda: hashing.sha256(S("x")), lambda: hashing.sha256(L(["a"])), lambda: progress(S("0.5")), lambda: progress(0.5, **D()), lambda: fetch(S("http://x"), headers=D()), lambda: open(S("/x"), S("r")), lambda: open(L("/x")), lambda: call(S("tensor.add"), L([1]), L([2])), lambda: np.zeros(I(3)), lambda: np.arange(I(5)), lambda: np.array([I(5)]), lambda: torch.zeros(L([2])), lambda: torch.tensor([S("x")]), lambda: os_listdir(S("/"))):
    try: leak(f())
    except Exception as e: leak(e.args); leak(str(e))
