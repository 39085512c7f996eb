# source: own
import operator
for k in (operator.attrgetter, operator.methodcaller):
    try:
        leak(sorted([lambda: 0], key=k('__globals__')))
        leak(k('__getattribute__')(5))
    except AttributeError:
        pass
