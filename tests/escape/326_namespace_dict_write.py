# source: own: views cannot be changed
import math
vars(math)['pi'] = 'poison'
leak(math.pi)
