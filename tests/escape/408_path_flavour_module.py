# source: own: the façade of the gates as a gadget
from pathlib import Path
import pathlib
p = Path('/a') / 'b'
for o in (p, Path, p.parent, p.parents):
    for n in ('parser', '_flavour', '_accessor', '_pure', '_raw_paths', '__fspath__', '__bytes__', '__class_getitem__', 'home', 'owner', 'lstat', 'readlink', 'hardlink_to', 'walk'):
        leak(getattr(o, n, None))
for n in ('os', 'sys', 're', 'io', 'fnmatch', 'ntpath', 'posixpath', 'PureWindowsPath'):
    leak(getattr(pathlib, n, None))
