# paths of pathlib, at work
from pathlib import Path
import os
root = Path(ROOT)
p = root / "new" / "deep"
p.mkdir(parents=True); p.mkdir(parents=True, exist_ok=True); p.mkdir(exist_ok=True)
print((p / "t.txt").write_text("hällo\n"), (p / "t.txt").read_text(), (p / "b.bin").write_bytes(b"\x00\xff"), (p / "b.bin").read_bytes())
with (p / "t.txt").open("a") as f: f.write("more")
print((p / "t.txt").read_text().splitlines(), (p / "t.txt").stat().st_size, (p / "t.txt").exists(), p.is_dir(), p.is_file())
(p / "empty").touch(); (p / "empty").touch(); print((p / "empty").read_bytes())
print(sorted(x.name for x in p.iterdir()), sorted(str(x.relative_to(root)) for x in root.glob("*")))
for pattern in ("*.txt", "**/*.txt", "**/*", "new/*", "new/*/t*", "*/deep", "[bl]*", "none/*", "**/deep/**/*.bin"):
    print(pattern, sorted(str(x.relative_to(root)) for x in root.glob(pattern)))
print(sorted(x.name for x in root.rglob("*.bin")), list((root / "none").glob("*")))
(p / "empty").unlink(); (p / "empty").unlink(missing_ok=True)
for action in (lambda: (p / "empty").unlink(), lambda: p.mkdir(), lambda: p.rmdir(), lambda: (root / "x" / "y").mkdir(), lambda: (p / "empty").read_text(),
               lambda: (p / "t.txt").touch(exist_ok=False), lambda: list(root.glob("")), lambda: list((root / "none").iterdir())):
    try: action(); print("nothing")
    except (OSError, ValueError) as e: print(type(e).__name__)
print(open(p / "t.txt").read(3), os.path.join(p, "x") == str(p / "x"), os.fspath(p) == str(p), os.path.exists(p))
