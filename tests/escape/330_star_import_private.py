# source: own
from json import *
from collections import *
leak(codecs if 'codecs' in dir(dumps) else None)
leak(_sys)
