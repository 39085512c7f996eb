# paths of pathlib, taken apart
from pathlib import Path, PurePosixPath
p = Path("/data") / "sub" / "file.tar.gz"
print(p, repr(p), p.name, p.stem, p.suffix, p.suffixes, p.parts, p.parent, list(p.parents), p.root, p.anchor)
print(p.with_name("x"), p.with_suffix(".zip"), p.with_stem("y"), p.relative_to("/data"), p.is_relative_to("/x"), p.is_absolute())
print(Path("a", "b"), Path("a") / "/b", "z" / Path("q"), Path("a").joinpath("b", "c"), Path(), Path("a//b/."), Path(Path("x"), "y"))
print(p == Path(str(p)), p != "x", p < Path("/e"), hash(p) == hash(Path(str(p))), sorted([Path("b"), Path("a")]), {p: 1}[Path(str(p))])
print(p.match("*.gz"), p.match("sub/*"), p.as_posix(), f"{p}", str(p) + "!", bool(Path("")), Path("/a/../b").is_absolute())
for action in (lambda: p.relative_to("/x"), lambda: p.with_suffix("x"), lambda: Path(5), lambda: p / 5, lambda: Path("/").with_name("x")):
    try: print(action())
    except (ValueError, TypeError) as e: print(type(e).__name__)
