# source: own: the façade of the gates as a gadget
import os
for n in ('PATH', 'HOME', 'LANG', 'KERNELGATE_DATA'):
    leak(os.getenv(n) and 'poison: the environment of the host')
leak(dict(os.environ).get('PATH') and 'poison')
leak(os.path.expanduser('~') != '~' and 'poison')
leak(getattr(os.path, 'expandvars', None))
