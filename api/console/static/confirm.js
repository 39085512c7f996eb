// A question before something that cannot be undone. Owns the dialog.

import { make } from "./dom.js";

/** Whether the reader agrees. @param {string} question @param {string} deed what the button says @returns {Promise<boolean>} */
export function sure(question, deed) {
  const form = make(
    "form",
    { method: "dialog" },
    make("button", { class: "quiet", value: "" }, "No"),
    make("button", { value: "yes" }, deed),
  );
  const dialog = make("dialog", { class: "card", "aria-label": question }, make("p", {}, question), form);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
  });
}
