# source: own: __init_subclass__ through the class itself
import string
string.Template.pattern = 'x'
leak('poison: Template.pattern')
