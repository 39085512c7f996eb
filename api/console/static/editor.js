// A field for programs: a textarea over the same text in colours, with the numbers of lines beside it.
//
// The coloured text gives the field its size and the frame scrolls both, so that nothing has to be kept in step. Tab
// indents; Escape and then Tab leaves, as it must for who has no mouse. Owns the field; must not know what it is for.

import { paint } from "./code.js";
import { make } from "./dom.js";

const INDENT = "    ";

export class Editor {
  /** @param {HTMLElement} frame that gets the field @param {{language: string, label: string}} about */
  constructor(frame, { language, label }) {
    this.language = language;
    this.leaving = false;
    this.numbers = make("div", { class: "numbers", "aria-hidden": "true" });
    this.picture = make("pre", { class: "code", "aria-hidden": "true" });
    this.field = make("textarea", {
      "aria-label": label,
      spellcheck: "false",
      autocomplete: "off",
      autocapitalize: "off",
      wrap: "off",
      input: () => this.clear(),
      keydown: (event) => this.pressed(event),
      blur: () => (this.leaving = false),
    });
    this.callout = make("div", { class: "callout", role: "status", hidden: true });
    this.sheet = make("div", { class: "sheet" }, this.picture, this.field, this.callout);
    this.frame = frame;
    frame.classList.add("editor");
    frame.replaceChildren(this.numbers, this.sheet);
    this.clear();
  }

  get text() {
    return this.field.value;
  }

  set text(text) {
    this.field.value = text;
    this.frame.scrollTo(0, 0);
    this.clear();
  }

  /** Show no error. */
  clear() {
    this.callout.hidden = true;
    this.field.ariaInvalid = "false";
    this.redraw();
  }

  /** What `work` gives, with the caret where it was before: a click in a dialog moves it. @template T @param {Promise<T>} work */
  async away(work) {
    const { selectionStart, selectionEnd } = this.field;
    try {
      return await work;
    } finally {
      this.field.setSelectionRange(selectionStart, selectionEnd);
    }
  }

  redraw(mark) {
    paint(this.picture, this.text, this.language, mark);
    const count = this.text.split("\n").length;
    const number = (_, index) => make("span", { class: index + 1 === mark?.line ? "bad" : null }, index + 1);
    this.numbers.replaceChildren(...Array.from({ length: count }, number));
  }

  /** Show a problem below its line, and lead there. @param {Record<string, any>} problem */
  mark(problem) {
    const count = this.text.split("\n").length;
    if (!problem.line || problem.line > count) return;
    this.redraw(problem);
    const line = this.picture.children[problem.line - 1];
    const place = this.picture.querySelector(".caret") ?? line;
    this.callout.replaceChildren(
      make("pre", { class: "pointer", "aria-hidden": "true" }, problem.column ? `${line.textContent.slice(0, problem.column - 1).replace(/\S/g, " ")}^` : ""),
      make("p", { class: "message" }, make("span", { class: "unseen" }, `Line ${problem.line}: `), problem.detail),
      problem.hint ? make("p", { class: "hint" }, problem.hint) : "",
    );
    this.callout.style.top = `${line.offsetTop + line.offsetHeight}px`;
    this.callout.hidden = false;
    this.field.ariaInvalid = "true";
    const { scrollTop, clientHeight, clientWidth } = this.frame;
    const seen = line.offsetTop > scrollTop && line.offsetTop + 4 * line.offsetHeight < scrollTop + clientHeight;
    if (!seen) this.frame.scrollTop = line.offsetTop - clientHeight / 2;
    this.frame.scrollLeft = Math.max(0, place.offsetLeft - clientWidth / 2);
  }

  pressed(event) {
    if (event.isComposing) return;
    if (event.key === "Escape") {
      this.leaving = true;
      this.callout.hidden = true;
    } else if (event.key === "Tab" && !this.leaving && !event.ctrlKey && !event.altKey) {
      event.preventDefault();
      event.shiftKey ? this.outdent() : this.indent();
    } else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      this.insert(`\n${this.newIndent()}`);
    } else if (event.key !== "Shift") {
      this.leaving = false;
    }
  }

  /** What a line after this one begins with: as much as this one, and more behind what opens a block. */
  newIndent() {
    const line = this.text.slice(0, this.field.selectionStart).split("\n").at(-1);
    return /^\s*/.exec(line)[0] + (/[:{([]\s*$/.test(line) ? INDENT : "");
  }

  indent() {
    if (this.selected().includes("\n")) this.replaceLines((line) => (line ? INDENT + line : line));
    else this.insert(INDENT);
  }

  outdent() {
    this.replaceLines((line) => line.replace(/^ {1,4}/, ""));
  }

  selected() {
    return this.text.slice(this.field.selectionStart, this.field.selectionEnd);
  }

  /** Replace each line that the selection touches. */
  replaceLines(change) {
    const { selectionStart, selectionEnd } = this.field;
    const begin = this.text.lastIndexOf("\n", selectionStart - 1) + 1;
    const found = this.text.indexOf("\n", Math.max(selectionEnd - 1, selectionStart));
    const end = found < 0 ? this.text.length : found;
    const changed = this.text.slice(begin, end).split("\n").map(change).join("\n");
    this.field.setSelectionRange(begin, end);
    this.insert(changed);
    this.field.setSelectionRange(begin, begin + changed.length);
  }

  /** Put `text` in place of the selection, so that the browser can undo it. */
  insert(text) {
    if (!document.execCommand(text ? "insertText" : "delete", false, text)) {
      this.field.setRangeText(text, this.field.selectionStart, this.field.selectionEnd, "end");
      this.clear();
    }
  }
}
