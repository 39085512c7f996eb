"""Kernels written by hand for one shape each, as peers of the ops: the best known for llvmpipe.

Owns text only, with sizes written in and no guard for what is over. Each function gives the source and the workgroups;
storage bindings are numbered in the order of the names in its docstring, the result last.
"""

from __future__ import annotations

from collections.abc import Sequence

Kernel = tuple[str, tuple[int, int, int]]
LANES = 8


def _bindings(names: str, *types: str) -> str:
    accesses = ["read"] * (len(types) - 1) + ["read_write"]
    return "".join(
        f"@group(0) @binding({number}) var<storage, {access}> {name}: array<{type}>;\n"
        for number, (name, type, access) in enumerate(zip(names, types, accesses, strict=True))
    )


def _each(count: int, text: str) -> str:
    return "\n".join(text.replace("#", str(number)) for number in range(count))


def matmul(size: int, rows: int = 8, quads: int = 4) -> Kernel:
    """a, b, c: a thread owns `rows` rows and `quads` times four columns; the left operand is read by fours."""
    step, tiles = size // 4, range(rows)
    lines = [
        _bindings("abc", "vec4f", "vec4f", "vec4f"),
        f"@compute @workgroup_size({LANES})",
        "fn main(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_id) l: vec3u) {",
        f"let r0 = w.y * {rows}u; let c0 = w.x * {LANES * quads}u + l.x; var at = c0;",
        *(f"let a{r} = (r0 + {r}u) * {step}u;" for r in tiles),
        *(f"var c{r}_{q} = vec4f();" for r in tiles for q in range(quads)),
        f"for (var k = 0u; k < {step}u; k++) {{",
        *(f"let x{r} = a[a{r} + k];" for r in tiles),
    ]
    for part in range(4):
        lines += [f"let b{part}_{q} = b[at + {part * step + q * LANES}u];" for q in range(quads)]
        lines += [
            f"c{r}_{q} = fma(vec4f(x{r}.{'xyzw'[part]}), b{part}_{q}, c{r}_{q});"
            for r in tiles
            for q in range(quads)
        ]
    lines.append(f"at += {4 * step}u; }}")
    lines += [
        f"c[(r0 + {r}u) * {step}u + c0 + {q * LANES}u] = c{r}_{q};" for r in tiles for q in range(quads)
    ]
    return "\n".join([*lines, "}"]), (step // (LANES * quads), size // rows, 1)


def surround(channels: int, side: int, pitch: int) -> Kernel:
    """x, p: square images with a zero on each side, whose rows begin `pitch` elements apart."""
    rows = side + 2
    lines = [
        _bindings("xp", "f32", "f32"),
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { let t = id.x;",
        f"if (t >= {channels * rows * pitch}u) {{ return; }}",
        f"let c = t / {rows * pitch}u; let r = t % {rows * pitch}u; let i = r / {pitch}u; let j = r % {pitch}u;",
        f"var v = 0.0; if (i > 0u && i <= {side}u && j > 0u && j <= {side}u)",
        f"{{ v = x[c * {side * side}u + (i - 1u) * {side}u + j - 1u]; }} p[t] = v; }}",
    ]
    return "\n".join(lines), (-(-channels * rows * pitch // 64), 1, 1)


def convolution(channels: int, outputs: int, side: int, pitch: int, mine: int = 8, rows: int = 2) -> Kernel:
    """p, w, y: 3 x 3 taps over what `surround` made; weights lie [channel, tap, output].

    A thread owns `mine` outputs at four places of `rows` rows each.
    """
    quads, across, own = side // 4, pitch // 4, range(mine)
    lines = [
        _bindings("pwy", "vec4f", "vec4f", "vec4f"),
        f"@compute @workgroup_size({LANES})",
        "fn main(@builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) g: vec3u) { let t = id.x;",
        f"if (t >= {quads * side // rows}u) {{ return; }}",
        f"let i = t % {quads}u; let j = t / {quads}u * {rows}u;",
        *(f"var c{r}_{o} = vec4f();" for r in range(rows) for o in own),
        f"var at = j * {across}u + i; var k = g.y * {mine // 4}u;",
        f"for (var c = 0u; c < {channels}u; c++) {{",
    ]
    for r in range(rows + 2):
        lines += [
            f"let p{r}_0 = p[at + {r * across}u]; let n{r} = p[at + {r * across + 1}u];",
            f"let p{r}_1 = vec4f(p{r}_0.yzw, n{r}.x); let p{r}_2 = vec4f(p{r}_0.zw, n{r}.xy);",
        ]
    for tap in range(9):
        for quad in range(mine // 4):
            name = f"w{tap}_{quad}"
            lines.append(f"let {name} = w[k + {tap * outputs // 4 + quad}u];")
            lines += [
                f"c{r}_{quad * 4 + o} = fma(vec4f({name}.{'xyzw'[o]}), p{r + tap // 3}_{tap % 3}, c{r}_{quad * 4 + o});"
                for r in range(rows)
                for o in range(4)
            ]
    lines.append(f"at += {(side + 2) * across}u; k += {9 * outputs // 4}u; }}")
    lines += [
        f"y[(g.y * {mine}u + {o}u) * {side * quads}u + (j + {r}u) * {quads}u + i] = c{r}_{o};"
        for r in range(rows)
        for o in own
    ]
    groups = -(-quads * side // rows // LANES)
    return "\n".join([*lines, "}"]), (groups, outputs // mine, 1)


def scores(heads: int, size: int, rows: int = 16, columns: int = 4) -> Kernel:
    """q, k, s: the products of queries and keys of 64 numbers, by an eighth; a thread owns `rows` by `columns`."""
    tiles = [(r, c) for r in range(rows) for c in range(columns)]
    lines = [
        _bindings("qks", "vec4f", "vec4f", "f32"),
        f"@compute @workgroup_size({LANES})",
        "fn main(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_id) l: vec3u) {",
        f"let r0 = w.y * {rows}u; let k0 = w.x * {LANES * columns}u + l.x;",
        f"var at = (w.z * {size}u + r0) * 16u; var to = (w.z * {size}u + k0) * 16u;",
        *(f"var c{r}_{c} = 0.0;" for r, c in tiles),
        "for (var d = 0u; d < 16u; d++) {",
        *(f"let k{c} = k[to + {c * LANES * 16}u];" for c in range(columns)),
    ]
    for r in range(rows):
        lines.append(f"let q{r} = q[at + {r * 16}u];")
        for c in range(columns):
            sum_ = f"c{r}_{c}"
            for part in "xyzw":
                sum_ = f"fma(q{r}.{part}, k{c}.{part}, {sum_})"
            lines.append(f"c{r}_{c} = {sum_};")
    lines.append("at += 1u; to += 1u; }")
    lines += [
        f"s[(w.z * {size}u + r0 + {r}u) * {size}u + k0 + {c * LANES}u] = c{r}_{c} * 0.125;" for r, c in tiles
    ]
    return "\n".join([*lines, "}"]), (size // (LANES * columns), size // rows, heads)


def of_values(heads: int, size: int, rows: int = 16) -> Kernel:
    """s, v, y: the products of shares and values of 64 numbers; a thread owns `rows` rows and eight columns."""
    tiles = [(r, c) for r in range(rows) for c in range(2)]
    lines = [
        _bindings("svy", "vec4f", "vec4f", "vec4f"),
        f"@compute @workgroup_size({LANES})",
        "fn main(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_id) l: vec3u) {",
        f"let r0 = w.z * {size}u + w.y * {rows}u; var b = w.z * {size * 16}u + l.x; var at = r0 * {size // 4}u;",
        *(f"var c{r}_{c} = vec4f();" for r, c in tiles),
        f"for (var k = 0u; k < {size // 4}u; k++) {{",
        *(f"let x{r} = s[at + {r * size // 4}u];" for r in range(rows)),
    ]
    for part in range(4):
        lines += [f"let b{part}_{c} = v[b + {part * 16 + c * LANES}u];" for c in range(2)]
        lines += [f"c{r}_{c} = fma(vec4f(x{r}.{'xyzw'[part]}), b{part}_{c}, c{r}_{c});" for r, c in tiles]
    lines.append("at += 1u; b += 64u; }")
    lines += [f"y[(r0 + {r}u) * 16u + l.x + {c * LANES}u] = c{r}_{c};" for r, c in tiles]
    return "\n".join([*lines, "}"]), (1, size // rows, heads)


def relu_of_product(count: int) -> Kernel:
    """a, b, c, d: relu(a * b + c), four times four elements a thread."""
    lines = [
        _bindings("abcd", "vec4f", "vec4f", "vec4f", "vec4f"),
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { let t = id.x * 4u;",
        _each(4, "d[t + #u] = max(vec4f(), a[t + #u] * b[t + #u] + c[t + #u]);"),
        "}",
    ]
    return "\n".join(lines), (count // 4 // 4 // 64, 1, 1)


def sum_in_chunks(count: int, threads: int = 256) -> Kernel:
    """a, b: the sums of as many contiguous chunks as there are threads."""
    chunk = count // 4 // threads
    lines = [
        _bindings("ab", "vec4f", "f32"),
        f"@compute @workgroup_size({LANES}) fn main(@builtin(global_invocation_id) id: vec3u) {{",
        f"var i = id.x * {chunk}u;",
        _each(8, "var s# = vec4f();"),
        f"for (var k = 0u; k < {chunk // 8}u; k++) {{",
        _each(8, "s# += a[i + #u];"),
        "i += 8u; }",
        f"b[id.x] = dot({' + '.join(f's{n}' for n in range(8))}, vec4f(1.0)); }}",
    ]
    return "\n".join(lines), (threads // LANES, 1, 1)


def sum_of_few(count: int = 256) -> Kernel:
    """a, b: the sum, by one thread."""
    lines = [
        _bindings("ab", "f32", "f32"),
        "@compute @workgroup_size(1) fn main() { var s = 0.0;",
        f"for (var k = 0u; k < {count}u; k++) {{ s += a[k]; }} b[0] = s; }}",
    ]
    return "\n".join(lines), (1, 1, 1)


def softmax_by_group(rows: int, columns: int) -> Kernel:
    """x, y: a row a workgroup, in registers, folded by a tree in workgroup memory."""
    mine = range(columns // 4 // LANES)
    lines = [
        _bindings("xy", "vec4f", "vec4f"),
        f"var<workgroup> m: array<f32, {LANES}>;",
        f"@compute @workgroup_size({LANES})",
        "fn main(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_id) l: vec3u) {",
        f"let at = w.x * {columns // 4}u + l.x;",
        *(f"var x{n} = x[at + {n * LANES}u];" for n in mine),
        f"let top = {_nested('max', [f'x{n}' for n in mine])};",
        "var peak = max(max(top.x, top.y), max(top.z, top.w));",
        _tree("peak", "max(m[l.x], m[l.x + h])"),
        *(f"x{n} = exp(x{n} - vec4f(peak));" for n in mine),
        f"var total = dot({' + '.join(f'x{n}' for n in mine)}, vec4f(1.0));",
        _tree("total", "m[l.x] + m[l.x + h]"),
        "let scale = vec4f(1.0 / total);",
        *(f"y[at + {n * LANES}u] = x{n} * scale;" for n in mine),
        "}",
    ]
    return "\n".join(lines), (rows, 1, 1)


def softmax_by_thread(rows: int, columns: int) -> Kernel:
    """x, y: a row a thread."""
    sweep = f"for (var k = 0u; k < {columns // 4}u; k += 8u) {{"
    lines = [
        _bindings("xy", "vec4f", "vec4f"),
        f"@compute @workgroup_size({LANES}) fn main(@builtin(global_invocation_id) id: vec3u) {{",
        f"let at = id.x * {columns // 4}u; var top = vec4f(-3.4e38); var sum = vec4f();",
        f"{sweep} {_each(8, 'top = max(top, x[at + k + #u]);')} }}",
        "let peak = vec4f(max(max(top.x, top.y), max(top.z, top.w)));",
        f"{sweep} {_each(8, 'let e# = exp(x[at + k + #u] - peak); sum += e#; y[at + k + #u] = e#;')} }}",
        "let scale = vec4f(1.0 / dot(sum, vec4f(1.0)));",
        f"{sweep} {_each(8, 'y[at + k + #u] *= scale;')} }} }}",
    ]
    return "\n".join(lines), (rows // LANES, 1, 1)


def layer_norm_by_group(rows: int, columns: int) -> Kernel:
    """x, w, b, y: a row a workgroup, in registers, folded by trees in workgroup memory."""
    mine = range(columns // 4 // LANES)
    lines = [
        _bindings("xwby", "vec4f", "vec4f", "vec4f", "vec4f"),
        f"var<workgroup> m: array<f32, {LANES}>;",
        f"@compute @workgroup_size({LANES})",
        "fn main(@builtin(workgroup_id) w_: vec3u, @builtin(local_invocation_id) l: vec3u) {",
        f"let at = w_.x * {columns // 4}u + l.x;",
        *(f"var x{n} = x[at + {n * LANES}u];" for n in mine),
        f"var total = dot({' + '.join(f'x{n}' for n in mine)}, vec4f(1.0));",
        _tree("total", "m[l.x] + m[l.x + h]"),
        f"let mean = vec4f(total / {columns}.0);",
        *(f"x{n} -= mean;" for n in mine),
        f"var square = {' + '.join(f'dot(x{n}, x{n})' for n in mine)};",
        _tree("square", "m[l.x] + m[l.x + h]"),
        f"let scale = vec4f(1.0 / sqrt(square / {columns}.0 + 1e-5));",
        *(
            f"y[at + {n * LANES}u] = x{n} * scale * w[l.x + {n * LANES}u] + b[l.x + {n * LANES}u];"
            for n in mine
        ),
        "}",
    ]
    return "\n".join(lines), (rows, 1, 1)


def layer_norm_by_thread(rows: int, columns: int) -> Kernel:
    """x, w, b, y: a row a thread."""
    sweep = f"for (var k = 0u; k < {columns // 4}u; k += 8u) {{"
    write = "y[at + k + #] = (x[at + k + #] - mean) * scale * w[k + #] + b[k + #];"
    lines = [
        _bindings("xwby", "vec4f", "vec4f", "vec4f", "vec4f"),
        f"@compute @workgroup_size({LANES}) fn main(@builtin(global_invocation_id) id: vec3u) {{",
        f"let at = id.x * {columns // 4}u; var sum = vec4f(); var square = vec4f();",
        f"{sweep} {_each(8, 'sum += x[at + k + #u];')} }}",
        f"let mean = vec4f(dot(sum, vec4f(1.0)) / {columns}.0);",
        f"{sweep} {_each(8, 'let d# = x[at + k + #u] - mean; square += d# * d#;')} }}",
        f"let scale = vec4f(1.0 / sqrt(dot(square, vec4f(1.0)) / {columns}.0 + 1e-5));",
        f"{sweep} {_each(8, write.replace('#', '#u'))} }} }}",
    ]
    return "\n".join(lines), (rows // LANES, 1, 1)


def _nested(function: str, names: Sequence[str]) -> str:
    text = names[0]
    for name in names[1:]:
        text = f"{function}({text}, {name})"
    return text


def _tree(name: str, combine: str) -> str:
    return (
        f"workgroupBarrier(); m[l.x] = {name}; workgroupBarrier();"
        f"for (var h = {LANES // 2}u; h > 0u; h >>= 1u) {{"
        f" if (l.x < h) {{ m[l.x] = {combine}; }} workgroupBarrier(); }} {name} = m[0];"
    )
