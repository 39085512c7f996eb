# source: own: the façade of the gates as a gadget
import os
class Evil(dict):
    def __eq__(self, other):
        leak(other)
        try:
            other['A'] = 'poison'
        except TypeError:
            pass
        return True
    __ror__ = __or__ = __eq__
os.environ == Evil(); Evil() == os.environ; os.environ != Evil()
os.environ.keys() == Evil(); os.environ.items() == Evil()
if os.environ['A'] != '1':
    leak('poison')
