# source: own: the façade of the gates as a gadget
import copy
from pathlib import Path
class Evil:
    def __deepcopy__(self, memo):
        for value in list(memo.values()):
            leak(value)
            for inner in value if isinstance(value, list) else [value]:
                if type(inner).__name__ not in ('list', 'Path', 'File', 'Response', 'Evil'):
                    leak('poison: ' + type(inner).__name__)
        return self
copy.deepcopy([Path('/a'), open('/a.txt'), fetch('http://a/'), Evil()])
