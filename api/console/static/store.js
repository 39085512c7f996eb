// Stores a program under a name: a dialog that tells what becomes of that name before one agrees.
//
// Owns the dialog. Must not know the editor, or how a script or a kernel is run.

import { at, make } from "./dom.js";
import { shown } from "./problem.js";
import { ask, Problem } from "./rest.js";

/** Until a name that is typed is looked up. */
const PAUSE_MS = 200;
const KINDS = {
  python: { word: "script", path: "scripts" },
  wgsl: { word: "kernel", path: "kernels" },
};

const dialog = at("storing");
const name = at("storing-name");
let kind, program, settle, typed;

/**
 * Ask for a name and store a program under it.
 * @param {"python"|"wgsl"} language @param {string} source @param {string} begin the name to begin with
 * @param {{pattern: string, spelling: string}} names that it may have
 * @returns {Promise<{name: string, link: Node}|null>} with a link to its page; null when the reader would not. Throws a
 * `Problem` about a line of it.
 */
export function store(language, source, begin, names) {
  kind = KINDS[language];
  program = source;
  at("storing-title").textContent = `Store the ${kind.word}`;
  at("storing-letters").textContent = names.spelling.replace(/^u/, "U") + ".";
  at("storing-trouble").replaceChildren();
  name.pattern = names.pattern;
  name.value = begin;
  look();
  dialog.showModal();
  name.select();
  return new Promise((resolve, reject) => (settle = { resolve, reject }));
}

/** Say what becomes of the name that is written. */
async function look() {
  const written = name.value;
  const told = written && name.validity.valid ? await becomes(written) : "";
  if (written === name.value) at("storing-note").textContent = told;
}

async function becomes(written) {
  try {
    const { source } = await ask("GET", `/api/${kind.path}/${written}`);
    if (source === program) return `This is what ${written} stands for already.`;
    return `${written} exists, and will stand for this. Its versions until now stay.`;
  } catch (error) {
    return error.document?.code === `${kind.word}_not_found` ? `${written} is a new name.` : "";
  }
}

async function agree() {
  try {
    const stored = await ask("POST", `/api/${kind.path}`, { name: name.value, source: program });
    settle.resolve({ name: stored.name, link: make("a", { href: `/console/${kind.path}/${stored.name}` }, stored.name) });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (!error.document.line) {
      at("storing-note").textContent = "";
      at("storing-trouble").replaceChildren(shown(error.document));
      return;
    }
    settle.reject(error);
  }
  dialog.close();
}

name.addEventListener("input", () => {
  clearTimeout(typed);
  at("storing-note").textContent = "";
  at("storing-trouble").replaceChildren();
  typed = setTimeout(look, PAUSE_MS);
});
dialog.addEventListener("submit", (event) => {
  event.preventDefault();
  agree();
});
at("storing-leave").addEventListener("click", () => dialog.close());
dialog.addEventListener("close", () => settle.resolve(null));
