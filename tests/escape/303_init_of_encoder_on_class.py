# source: own: an unbound __init__ writes attributes of whatever it is given
import json
json.JSONEncoder.__init__(json.JSONEncoder, default=lambda *a: 'poisoned')
leak('poison: JSONEncoder.default' if json.JSONEncoder.default(json.JSONEncoder(), 1) == 'poisoned' else None)
