# source: own: the façade of the gates as a gadget
import operator
from pathlib import Path
for t, n in ((open('/a.txt'), '_inner'), (fetch('http://a/'), '_answer'), (Path('/a'), '_pure'), (open('/a.txt'), '\u01c0_inner'), (open('/a.txt'), '_File__inner')):
    for f in (lambda: operator.attrgetter(n)(t), lambda: operator.methodcaller(n)(t), lambda: getattr(t, n), lambda: operator.attrgetter(n + '.buffer')(t)):
        try:
            x = f()
            leak(x); leak('poison: ' + n)
        except (AttributeError, TypeError):
            pass
