# source: own: cached_property writes into the instance's __dict__
import functools, json
p = functools.cached_property(lambda self: 'poison')
p.__set_name__(object, 'dumps')
p.__get__(json)
leak(json.dumps)
p.__get__(json.dumps)
leak(getattr(json.dumps, 'dumps', None))
