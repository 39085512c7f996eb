# source: own: the functional API mixes a type in
import enum, math
leak(enum.Enum('M', 'A', type=type))
leak(enum.Enum('N', 'A', type=type(math)))
