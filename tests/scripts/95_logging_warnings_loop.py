"""logging with handlers, filters, adapters and styles; warnings with filters; a loop asked by hand."""

import asyncio
import io
import logging
import sys
import traceback
import warnings
from types import TracebackType
from typing import Literal, Optional, Type, get_args, get_origin

logging.basicConfig(level=logging.DEBUG, format="%(levelname)-8s %(name)s: %(message)s", stream=sys.stdout)
log = logging.getLogger("app")
log.debug("started %d of %s", 1, "two")
log.warning("%(what)s is %(how)s", {"what": "disk", "how": "full"})
try:
    {}["key"]
except KeyError:
    log.exception("no luck") if False else log.error("no luck")


class Secretless(logging.Filter):
    def filter(self, record):
        record.size = len(record.getMessage())
        return "secret" not in record.getMessage()


class Keeper(logging.Handler):
    def __init__(self):
        super().__init__(logging.INFO)
        self.kept = []

    def emit(self, record):
        self.kept.append((record.levelname, self.format(record)))


class Shouting(logging.Formatter):
    def format(self, record):
        return super().format(record).upper() + "!"


keeper = Keeper()
keeper.addFilter(Secretless())
keeper.setFormatter(Shouting("{levelname}|{message}|{size}", style="{"))
log.addHandler(keeper)
log.propagate = False
log.info("a secret")
log.info("hello %s", "world")
log.debug("too low")
logging.LoggerAdapter(log, {"user": "al"}).error("adapted")
print(keeper.kept, log.level, log.getEffectiveLevel(), log.isEnabledFor(logging.INFO), len(log.handlers))
log.removeHandler(keeper)
log.propagate = True

buffer = io.StringIO()
handler = logging.StreamHandler(buffer)
handler.setFormatter(logging.Formatter("%(user)s %(funcName)s %(message)s"))
child = logging.getLogger("app.child")
child.addHandler(handler)


def inner():
    child.error("from a function", extra={"user": "bo"})


inner()
print(repr(buffer.getvalue()), child.parent is log, logging.getLevelName(30), logging.getLevelName("INFO"))
logging.disable(logging.CRITICAL)
log.critical("off")
logging.disable(logging.NOTSET)
logging.addLevelName(25, "NOTICE")
log.log(25, "a level of one's own")

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    warnings.warn("old", DeprecationWarning)
    warnings.filterwarnings("ignore", message="quiet")
    warnings.warn("quiet please")
    print([(w.category.__name__, str(w.message)) for w in caught])
with warnings.catch_warnings():
    warnings.simplefilter("error")
    try:
        warnings.warn("as an error", UserWarning)
    except UserWarning as error:
        print("raised", error)


class Guard:
    def __enter__(self):
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> bool:
        print(kind and kind.__name__, isinstance(trace, TracebackType))
        return True


with Guard():
    raise ValueError("swallowed")

try:
    try:
        1 / 0
    except ZeroDivisionError as error:
        raise RuntimeError("outer") from error
except RuntimeError as error:
    text = traceback.format_exc()
    print([line for line in text.splitlines() if not line.startswith(" ")])
    print(traceback.format_exception_only(error))

Mode = Literal["r", "w"]
print(get_args(Mode), get_origin(list[int]), get_args(dict[str, int]), get_args(type | int))


logging.getLogger().setLevel(logging.INFO)


async def main():
    loop = asyncio.get_running_loop()
    future = loop.create_future()
    loop.call_later(0.001, future.set_result, "later")
    loop.call_soon(print, "soon")
    never = loop.call_later(60, print, "never")
    never.cancel()
    print(await future, await asyncio.to_thread(sum, [1, 2, 3]), await loop.run_in_executor(None, max, 4, 5))
    return loop.time() > 0


print(asyncio.new_event_loop().run_until_complete(main()))
for change in (lambda: setattr(5, "x", 1), lambda: setattr(None, "y", 1)):
    try:
        change()
    except AttributeError as error:
        print(str(error).split(" and ")[0])
try:
    from math import nothing
except ImportError as error:
    print(str(error).split(" (")[0])
