# source: own: logging's brace style follows attribute paths
import logging
f = logging.Formatter('{x.__globals__}', style='{')
r = type('R', (), {})()
logging.getLogger('a').warning('%s', f)
leak(f.format({'x': lambda: 0}))
