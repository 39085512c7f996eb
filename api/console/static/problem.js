// What went wrong, shown: title, message, the line with its caret, what to do.

import { make } from "./dom.js";

/**
 * An element that shows a problem document.
 * @param {Record<string, any>} problem @returns {HTMLElement}
 */
export function shown(problem) {
  const snippet = problem.snippet && make("pre", { class: "snippet", tabindex: "0" }, problem.snippet);
  if (snippet) requestAnimationFrame(() => reveal(snippet));
  return make(
    "div",
    { class: "problem" },
    make("p", {}, make("strong", {}, problem.title ?? "It failed"), " ", make("code", { class: "faint" }, problem.code ?? "")),
    make("p", { class: "detail" }, problem.detail),
    snippet || null,
    problem.hint ? make("p", { class: "hint" }, problem.hint) : null,
  );
}

/** Scroll to the caret, which ends the longer or the shorter of the two lines. */
function reveal(snippet) {
  const [line, caret = ""] = snippet.textContent.split("\n");
  const share = caret.length / Math.max(line.length, caret.length);
  snippet.scrollLeft = snippet.scrollWidth * share - snippet.clientWidth / 2;
}
