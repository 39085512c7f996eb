# a file that nobody holds any more is closed
open(ROOT + "/d.txt", "w").write("dropped")
print(open(ROOT + "/d.txt").read())
def write():
    f = open(ROOT + "/d2.txt", "w"); f.write("by a function")
write()
print(open(ROOT + "/d2.txt").read())
left = open(ROOT + "/left.txt", "w"); left.write("open at the end")
