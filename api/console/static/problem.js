// What went wrong, shown: title, message, the line with its caret, what to do.

import { make } from "./dom.js";

/**
 * An element that shows a problem document.
 * @param {Record<string, any>} problem @param {(() => void)|null} [go] leads to its line
 * @returns {HTMLElement}
 */
export function shown(problem, go = null) {
  const place = problem.line && go ? make("button", { class: "quiet", type: "button", click: go }, `Go to line ${problem.line}`) : null;
  return make(
    "div",
    { class: "problem" },
    make("p", {}, make("strong", {}, problem.title ?? "It failed"), " ", make("code", { class: "faint" }, problem.code ?? "")),
    make("p", { class: "detail" }, problem.detail),
    problem.snippet ? make("pre", { class: "snippet" }, problem.snippet) : null,
    problem.hint ? make("p", { class: "hint" }, problem.hint) : null,
    place,
  );
}
