# source: own: a compiled spelling given at run time
class A: pass
a = A()
setattr(a, '\u01c0_x', 5)
leak('poison' if False else None)
leak(getattr(a, '\u01c0__globals__', None))
import json
leak(getattr(json, '\u01c0title', None) and None)
