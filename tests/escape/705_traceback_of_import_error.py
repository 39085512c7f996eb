# source: own: the library's suggestions import the module that an ImportError names
import traceback
e = ImportError("x")
e.name = "sched"
e.name_from = "schedulerx"
try: raise e
except ImportError:
    text = traceback.format_exc()
leak("poison: a module was imported by a traceback" if "'scheduler'" in text else None)
