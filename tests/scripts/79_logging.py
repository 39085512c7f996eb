import logging, sys, warnings
logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s %(message)s", stream=sys.stdout)
log = logging.getLogger("app.db")
log.info("x=%d %s", 5, "y"); log.debug("no"); log.warning("w %(k)s", {"k": 1})
try: 1/0
except ZeroDivisionError: log.error("failed")
logger = logging.getLogger(__name__); logger.setLevel(logging.ERROR); logger.info("hidden"); logger.error("shown")
print(logging.getLevelName(20), log.isEnabledFor(10), log.name)
