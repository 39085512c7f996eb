// What went wrong, shown: title, message, the line with its caret, what to do.

import { make } from "./dom.js";

/**
 * An element that shows a problem document.
 * @param {Record<string, any>} problem @returns {HTMLElement}
 */
export function shown(problem) {
  return make(
    "div",
    { class: "problem" },
    make("p", {}, make("strong", {}, problem.title ?? "It failed"), " ", make("code", { class: "faint" }, problem.code ?? "")),
    make("p", { class: "detail" }, problem.detail),
    problem.snippet ? make("pre", { class: "snippet" }, problem.snippet) : null,
    problem.hint ? make("p", { class: "hint" }, problem.hint) : null,
  );
}
