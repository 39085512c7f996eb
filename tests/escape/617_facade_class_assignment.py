# source: own
import numpy as np
a = np.arange(3)
class Other:
    pass
for change in (lambda: setattr(a, '__class__', Other), lambda: setattr(type(a), 'sum', leak), lambda: setattr(np.ndarray, 'shape', leak),
               lambda: setattr(np, 'array', leak), lambda: setattr(np.add, 'reduce', leak), lambda: setattr(np.float64, 'item', leak),
               lambda: setattr(np.random, 'rand', leak), lambda: delattr(np.ndarray, 'sum'), lambda: setattr(a, 'sum', leak),
               lambda: setattr(np.sum, '__name__', 'x'), lambda: setattr(np.sum, '__doc__', 'x'), lambda: setattr(np.dtype(float), 'name', 'x'),
               lambda: np.ndarray.__setattr__(a, 'shape', (10**9,)), lambda: object.__setattr__(a, 'shape', (10**9,)),
               lambda: np.ndarray.__delattr__(a, 'shape'), lambda: type(a).__setattr__(a, '_data', [leak])):
    try:
        change()
        leak('poison: ' + repr(change))
    except BaseException:
        pass
