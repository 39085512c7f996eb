# source: own: brace and percent styles follow what a record holds
import logging, io
s = io.StringIO()
h = logging.StreamHandler(s)
for fmt in ("{f.__globals__}", "{f.__class__.__mro__}", "{f.__code__}", "{exc_info}", "{args[0].__globals__}", "{msg.__func__.__globals__}"):
    h.setFormatter(logging.Formatter(fmt, style="{"))
    log = logging.getLogger("a"); log.handlers.clear(); log.addHandler(h)
    try: log.error(print, extra={"f": lambda: 0})
    except Exception: pass
leak(s.getvalue())
class R(logging.Formatter):
    def format(self, record):
        leak(record.__dict__)
        for v in record.__dict__.values(): leak(v)
        return super().format(record)
h.setFormatter(R("%(message)s"))
try: 1 / 0
except ZeroDivisionError: log.exception("x")
