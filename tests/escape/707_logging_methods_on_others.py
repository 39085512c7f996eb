# source: own: methods of logging's classes called with other objects
import logging, json
for method in (logging.Handler.setLevel, logging.Handler.setFormatter, logging.Logger.setLevel, logging.Logger.addHandler, logging.Handler.addFilter, logging.Formatter.formatTime):
    for target in (json.JSONEncoder, json.dumps, json.JSONEncoder(), 5):
        try: method(target, 10)
        except Exception: pass
leak("poison: a library class has attributes of a handler" if hasattr(json.JSONEncoder, "level") or hasattr(json.dumps, "level") or hasattr(json.dumps, "formatter") else None)
for cls in (logging.Handler, logging.Logger, logging.Formatter, logging.Filter):
    try: cls.__init__(json.dumps, "x")
    except Exception: pass
leak("poison: init" if hasattr(json.dumps, "filters") or hasattr(json.dumps, "name") else None)
