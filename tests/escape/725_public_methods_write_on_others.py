# source: own: public methods of library classes called with other objects
import json, random, difflib, calendar, string, csv, textwrap, statistics, asyncio, contextlib, graphlib, collections, logging, pprint, fractions, decimal
targets = [json.JSONEncoder, json.JSONDecoder, random.Random, json.dumps, string.Template, type(json), collections.Counter, asyncio.Queue]
before = {t: set(dir(t)) for t in targets if isinstance(t, type)}
owners = [random.Random, difflib.SequenceMatcher, calendar.Calendar, csv.DictReader, csv.DictWriter, textwrap.TextWrapper, statistics.NormalDist, asyncio.Queue, asyncio.Event, asyncio.Lock, asyncio.TaskGroup, contextlib.ExitStack, graphlib.TopologicalSorter, collections.Counter, collections.OrderedDict, collections.ChainMap, collections.UserDict, collections.UserList, logging.Handler, logging.Logger, logging.Formatter, pprint.PrettyPrinter, json.JSONEncoder, json.JSONDecoder, fractions.Fraction]
for o in owners:
    for n in dir(o):
        if n in ("mro",): continue
        try: m = getattr(o, n)
        except Exception: continue
        if not callable(m): continue
        for t in targets:
            for args in ((), (1,), ("default", lambda *a: "poisoned"), ({"default": 1},)):
                try: m(t, *args)
                except Exception: pass
for t, names in before.items():
    new = set(dir(t)) - names
    leak(f"poison: {t.__name__} got {sorted(new)[:5]}" if new else None)
