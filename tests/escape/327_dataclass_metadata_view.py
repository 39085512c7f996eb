# source: own: a live mapping behind a read-only one
import dataclasses
got = []
class Evil:
    def __eq__(self, o): got.append(o); return True
    def __ror__(self, o): got.append(o); return o
@dataclasses.dataclass
class A:
    x: int = dataclasses.field(default=1, metadata={'a': 1})
m = dataclasses.fields(A)[0].metadata
m == Evil()
m | Evil()
for o in got:
    o['b'] = 2
leak('poison: metadata changed' if 'b' in dataclasses.fields(A)[0].metadata else None)
