// Buttons that copy a text. Owns what becomes of one where the browser lets nobody copy: the text is selected instead.

import { make } from "./dom.js";

/** A button that copies the text of an element, or of a field, and says whether it could. @param {any} source */
export function copying(source) {
  const note = make("span", { class: "faint", role: "status" });
  const copy = async () => {
    const text = source.value ?? source.textContent;
    const copied = await navigator.clipboard?.writeText(text).then(() => true, () => false);
    if (!copied) select(source);
    note.textContent = copied ? "copied" : "it is selected: copy it";
  };
  return make("p", { class: "row copying" }, make("button", { type: "button", class: "quiet small", click: copy }, "Copy"), note);
}

function select(source) {
  if (source.select) source.select();
  else getSelection().selectAllChildren(source);
}
