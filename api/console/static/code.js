// Text of programs in its colours, by line. Owns how a line looks; colours each <pre class="code"> of the page itself.

import { make } from "./dom.js";
import { lines } from "./tokens.js";

/** Characters beyond which a text keeps one colour, since nobody waits for colours. */
const MOST = 200_000;

/**
 * Put `text` into `element` in its colours, a <span class="line"> each line.
 * @param {HTMLElement} element @param {string} text @param {string} language
 * @param {{line?: number, column?: number}} [mark] where an error is, from 1
 */
export function paint(element, text, language, mark = {}) {
  const found = lines(text, text.length > MOST ? "" : language);
  element.replaceChildren(...found.map((runs, index) => lineOf(runs, index + 1 === mark.line ? mark : null)));
}

function lineOf(runs, mark) {
  const line = make("span", { class: mark ? "line bad" : "line" });
  let column = 1;
  for (const { kind, text } of runs) {
    const here = mark?.column >= column && mark.column < column + text.length;
    line.append(kind || here ? make("span", { class: `${kind}${here ? " caret" : ""}` }, text) : text);
    column += text.length;
  }
  if (mark?.column >= column) line.append(make("span", { class: "caret" }, " "));
  line.append("\n");
  return line;
}

for (const element of document.querySelectorAll("pre.code")) {
  const { language, line, column } = element.dataset;
  paint(element, element.textContent.replace(/\n$/, ""), language, { line: Number(line), column: Number(column) });
  element.tabIndex = 0;
}
