# source: own
import numpy as np
rows = [[1.0] * 1000 for _ in range(50)]
class Shrink:
    def __float__(self):
        for row in rows:
            row.clear()
        return 1.0
    def __index__(self):
        rows.clear()
        return 1
    def __len__(self): return 10**9
    def __getitem__(self, i): return leak
    def tolist(self):
        rows.append(self)
        return rows
    @property
    def dtype(self):
        return leak
rows[3][5] = Shrink()
for make in (lambda: np.array(rows, dtype=float), lambda: np.array(rows, dtype=int), lambda: np.array(Shrink()), lambda: np.zeros(3) + Shrink(),
             lambda: np.arange(Shrink()), lambda: np.zeros(Shrink()), lambda: np.full(4, Shrink()), lambda: np.concatenate(rows),
             lambda: np.zeros((Shrink(), Shrink()))[Shrink(), Shrink()], lambda: np.linspace(Shrink(), 5, Shrink())):
    try:
        found = make()
        leak(found)
        leak(found.tolist()[:3])
    except BaseException:
        pass
