# source: own: the façade of the gates as a gadget
class S(str):
    def partition(self, sep): leak(sep); return ('tensor', '.', '__class__')
    def __str__(self): return S('kernel.x')
    def split(self, *a): return ['poison']
for name in ('tensor.__class__', 'tensor._node', 'hash.__globals__', 'script.x', 'kernel.', 'os.system', '', 'tensor', S('tensor.add'), 'tensor.tensor.add', 'hash.tensor.add', 'tensor.input', 'tensor.constant', 5, None):
    for k in ({}, {'workgroups': 1}, {'op': 'matmul'}, {'name': 'x'}, {'tensors': []}, {'handle': 1}):
        try:
            leak(call(name, 1, **k)); leak(call(name, **k))
        except Exception as e:
            leak(e)
