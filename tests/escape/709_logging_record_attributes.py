# source: own: extra attributes of records by dunder names
import logging
got = []
class H(logging.Handler):
    def emit(self, record): got.append(record)
log = logging.getLogger("b"); log.addHandler(H())
for name in ("__class__", "__dict__", "__globals__", "getMessage", "\u01c0x"):
    try: log.error("x", extra={name: dict})
    except Exception: pass
for r in got:
    leak(type(r)); leak(r.__dict__)
    leak("poison: class was set" if type(r) is dict else None)
class L(logging.LogRecord):
    def __init__(self): pass
try: leak(logging.LogRecord.getMessage(L()))
except Exception: pass
