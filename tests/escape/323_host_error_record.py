# source: own: our own objects as gadgets
import kernels, torch, hashing
for o in (kernels.run, kernels.output, torch.tensor, hashing.sha256, progress, kernels.output(3)):
    for n in ('__globals__', '__closure__', '__wrapped__', '__self__', '__module__', '__code__'):
        leak(getattr(o, n, None))
try:
    kernels.run('x')
except BaseException as e:
    leak(getattr(e, '__traceback__', None))
