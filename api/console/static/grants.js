// Grants in their short form, a line each, which people write, and as JSON, which the REST interface takes.

const LINES = {
  fetch: ([host, ...methods]) => ({ host, ...(methods.length ? { methods } : {}) }),
  files: ([path, folder, mode]) => ({ path, ...(folder ? { folder } : {}), ...(mode ? { mode } : {}) }),
};
const NAMES = ["ops", "kernels", "tensors", "native"];

/**
 * The grants in a text: JSON, or lines as `fetch api.example.org GET`, `files /words /srv/words ro`, `env NAME=value`,
 * `ops tensor.*`. Throws an `Error` that names the line.
 * @param {string} text @returns {Record<string, any>}
 */
export function parse(text) {
  if (text.trim().startsWith("{")) return JSON.parse(text);
  const grants = {};
  for (const line of text.split("\n").map((each) => each.trim()).filter(Boolean)) {
    const [kind, ...words] = line.split(/\s+/);
    if (!words.length) throw new Error(`grants: ${line} names nothing`);
    if (Object.hasOwn(LINES, kind)) (grants[kind] ??= []).push(LINES[kind](words));
    else if (NAMES.includes(kind)) (grants[kind] ??= []).push(...words);
    else if (kind === "env") (grants.env ??= {})[words[0].split("=")[0]] = valueOf(line);
    else throw new Error(`grants: a line begins with fetch, files, env, ${NAMES.join(", ")}, not ${kind}`);
  }
  return grants;
}

/** Grants as a person reads them: JSON, a gate a line. @param {Record<string, any>} grants */
export function written(grants) {
  const lines = Object.entries(grants).map(([gate, wanted]) => `  ${JSON.stringify(gate)}: ${JSON.stringify(wanted)}`);
  return lines.length ? `{\n${lines.join(",\n")}\n}` : "{}";
}

/** The grants of both. @param {Record<string, any>} some @param {Record<string, any>} more @returns {Record<string, any>} */
export function merged(some, more) {
  const all = { ...some };
  for (const [gate, wanted] of Object.entries(more)) {
    if (!Array.isArray(wanted)) all[gate] = { ...wanted, ...all[gate] };
    else all[gate] = [...new Map([all[gate] ?? [], wanted].flat().map((each) => [JSON.stringify(each), each])).values()];
  }
  return all;
}

/** What is behind the `=`; without one, null: the value that the key has. */
function valueOf(line) {
  const at = line.indexOf("=");
  return at < 0 ? null : line.slice(at + 1);
}
