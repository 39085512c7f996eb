// Python and WGSL as runs of text with a kind, for their colours. Owns what is a word; must not know pages.
// It is no parser: whatever it reads, the runs together are the text.

const words = (text) => new Set(text.split(" "));

const PYTHON = {
  pattern: new RegExp(
    [
      /(?<note>#[^\n]*)/,
      /(?<text>(?:\b(?:[rbfu]|[rb][bf]|[bf]r))?(?:"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?))/,
      /(?<number>\b(?:0[xob][\da-f_]+|\d[\d_]*(?:\.[\d_]*)?(?:e[+-]?\d+)?j?)\b|\B\.\d+(?:e[+-]?\d+)?)/,
      /(?<name>(?<=\b(?:def|class)\s+)\w+|@[\w.]+)/,
      /(?<any>[\p{L}_][\p{L}\p{N}_]*)/,
    ]
      .map((part) => part.source)
      .join("|"),
    "giu",
  ),
  word: words(
    "and as assert async await break class continue def del elif else except finally for from global if import in is " +
      "lambda nonlocal not or pass raise return try while with yield match case True False None",
  ),
  name: words(
    "abs all any bool bytes dict divmod enumerate filter float int isinstance len list map max min open pow print range " +
      "repr reversed round set sorted str sum super tuple type zip progress call fetch torch numpy kernels hashing routines",
  ),
};

const WGSL = {
  pattern:
    /(?<note>\/\/[^\n]*|\/\*[^]*?(?:\*\/|$))|(?<number>\b0[xX][\da-fA-F]+[iu]?\b|\b\d+(?:\.\d*)?(?:[eE][+-]?\d+)?[iufh]?\b|\B\.\d+(?:[eE][+-]?\d+)?[fh]?\b)|(?<name>@\w+|(?<=\b(?:fn|struct)\s+)\w+)|(?<any>[\p{L}_][\p{L}\p{N}_]*)/gu,
  word: words(
    "alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if let " +
      "loop override requires return struct switch true var while",
  ),
  name: words(
    "array atomic bool f16 f32 i32 u32 vec2 vec3 vec4 mat2x2 mat3x3 mat4x4 mat2x3 mat2x4 mat3x2 mat3x4 mat4x2 mat4x3 ptr " +
      "storage uniform workgroup private function read read_write write",
  ),
};

const LANGUAGES = { python: PYTHON, wgsl: WGSL };

/**
 * The runs of `text`; the kind is word, text, number, note, name, or empty.
 * @param {string} text @param {string} language python or wgsl; of any other it is one run
 * @returns {{kind: string, text: string}[]}
 */
export function tokens(text, language) {
  const rules = LANGUAGES[language];
  if (!rules) return [{ kind: "", text }];
  const runs = [];
  let end = 0;
  for (const found of text.matchAll(rules.pattern)) {
    if (found.index > end) runs.push({ kind: "", text: text.slice(end, found.index) });
    runs.push({ kind: kindOf(found.groups, rules), text: found[0] });
    end = found.index + found[0].length;
  }
  if (end < text.length) runs.push({ kind: "", text: text.slice(end) });
  return runs;
}

function kindOf(groups, rules) {
  const kind = Object.keys(groups).find((name) => groups[name] !== undefined);
  if (kind !== "any") return kind;
  return rules.word.has(groups.any) ? "word" : rules.name.has(groups.any) ? "name" : "";
}

/**
 * The same by line.
 * @param {string} text @param {string} language @returns {{kind: string, text: string}[][]}
 */
export function lines(text, language) {
  const found = [[]];
  for (const { kind, text: run } of tokens(text, language)) {
    run.split("\n").forEach((part, turn) => {
      if (turn) found.push([]);
      if (part) found.at(-1).push({ kind, text: part });
    });
  }
  return found;
}
