// The REST interface, as pages of ours ask it. Owns the token of the page and the shape of an error.

/** An answer that is a problem: `document` as in RFC 9457, with our code, line, column, snippet and hint. */
export class Problem extends Error {
  /** @param {Record<string, any>} document */
  constructor(document) {
    super(document.detail);
    this.document = document;
  }
}

/**
 * What `path` answers, parsed; null when it has nothing to say. A body that is no Blob is sent as JSON.
 * @param {string} method @param {string} path @param {any} [content] @param {RequestInit & {headers?: object}} [more]
 * @returns {Promise<any>} Throws `Problem`.
 */
export async function ask(method, path, content, more = {}) {
  const token = document.querySelector('meta[name="csrf"]').content;
  const plain = content === undefined || content instanceof Blob;
  const answer = await fetch(path, {
    ...more,
    method,
    headers: { "X-CSRF-Token": token, ...(plain ? {} : { "Content-Type": "application/json" }), ...more.headers },
    body: plain ? content : JSON.stringify(content),
  }).catch((error) => {
    if (error.name === "AbortError") throw error;
    throw new Problem({ title: "No answer", code: "no_answer", detail: "The server does not answer.", hint: "Is it running?" });
  });
  const text = await answer.text();
  const found = text ? parse(text) : null;
  if (answer.status === 401) found.hint = "Load the page again, and log in.";
  if (!answer.ok) throw new Problem(found);
  return found;
}

/** JSON, with whole numbers that would lose digits as BigInt where the browser tells how they were written. */
export function parse(text) {
  return JSON.parse(text, (_, value, context) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "") ? BigInt(context.source) : value,
  );
}

const FILES = { npy: "application/x-npy", safetensors: "application/vnd.safetensors" };

/**
 * Upload a file of tensors, which the server may forget when nobody uses them; their records by name.
 * @param {Blob} file @param {string} name of the file @returns {Promise<Record<string, any>>}
 */
export async function upload(file, name) {
  const [, stem, ending] = /^(.*)\.(\w+)$/.exec(name) ?? [];
  if (!Object.hasOwn(FILES, ending ?? "")) throw new Problem({ title: "Not uploaded", code: "file", detail: `${name} is neither .npy nor .safetensors.` });
  const headers = { "Content-Type": FILES[ending] };
  const found = await ask("POST", "/api/tensors?persist=false", file, { headers });
  return found.tensors ?? { [stem.replace(/\W/g, "_")]: found };
}
