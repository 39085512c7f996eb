# the arithmetic of paths
import os
for p in ("/a/b.txt", "a", "/", "", "a/../b", "/a//b/./c/", "x.tar.gz", ".hidden"):
    print(os.path.split(p), os.path.splitext(p), os.path.basename(p), os.path.dirname(p), os.path.normpath(p), os.path.isabs(p))
print(os.path.join("/a", "b", "/c", "d"), os.path.commonpath(["/a/b", "/a/c"]), os.path.relpath("/a/b", "/a/c"), os.path.abspath("/a/../b"))
print(os.sep, os.linesep == "\n", os.name, os.curdir, os.pardir, os.extsep, os.altsep, os.path.sep, os.pathsep, os.fspath("x"))
