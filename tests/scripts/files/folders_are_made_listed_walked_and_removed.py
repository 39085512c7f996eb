# folders are made, listed, walked and removed
import os
os.mkdir(ROOT + "/m"); os.makedirs(ROOT + "/m/a/b/c"); os.makedirs(ROOT + "/m/a/b", exist_ok=True); os.makedirs(ROOT, exist_ok=True)
open(ROOT + "/m/a/f.txt", "w").close()
print(sorted(os.listdir(ROOT)), sorted(os.listdir(ROOT + "/m/a")))
for top, folders, files in os.walk(ROOT + "/m"): print(top.replace(ROOT, ""), folders, files)
for top, folders, files in os.walk(ROOT + "/m", topdown=False): print(top.replace(ROOT, ""), folders, files)
for top, folders, files in os.walk(ROOT): folders[:] = [n for n in sorted(folders) if n != "m"]; print(top.replace(ROOT, ""), folders, sorted(files))
print(list(os.walk(ROOT + "/none")))
os.remove(ROOT + "/m/a/f.txt"); os.unlink(ROOT + "/lines.txt"); os.rmdir(ROOT + "/m/a/b/c")
print(os.path.exists(ROOT + "/m/a/b/c"), os.path.isdir(ROOT + "/m"), os.path.isfile(ROOT + "/bytes.bin"), os.path.isfile(ROOT), os.path.isdir(ROOT + "/none"))
print(os.path.getsize(ROOT + "/bytes.bin"), os.stat(ROOT + "/bytes.bin").st_size, os.stat(ROOT).st_mode & 0o170000)
