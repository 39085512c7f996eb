# source: own: the façade of the gates as a gadget
import os
for attempt in (lambda: os.environ.__setitem__('A', 'poison'), lambda: os.environ.update(A='poison'), lambda: os.environ.setdefault('B', 'poison'),
                lambda: os.environ._values.update(A='poison'), lambda: os.environ.copy().update(A='poison'), lambda: os.environ.pop('A'),
                lambda: setattr(os.environ, '_values', {'A': 'poison'}), lambda: vars(os.environ), lambda: type(os.environ).__init__(os.environ),
                lambda: os.putenv('A', 'poison')):
    try:
        leak(attempt())
    except Exception:
        pass
leak(os.environ.get('A', 'poison'))
for n in ('_data', '_values', 'encodekey', 'putenv', '_mapping'):
    leak(getattr(os.environ, n, None)); leak(getattr(os.environ.keys(), n, None))
