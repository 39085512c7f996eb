# source: own: views can not be changed
import math
vars(math)['pi'] = 'poison'
leak(math.pi)
