# source: own: the façade of the gates as a gadget
import json
f = open('/a.txt')
for target in (json.JSONEncoder, json.JSONEncoder(), f.__class__, open, Exception()):
    try:
        type(f).__init__(target, f, 'poison', 'r', False)
        leak(target._name)
    except (TypeError, AttributeError):
        pass
leak(json.JSONEncoder.__dict__.get('_name'))
