// Buttons that ask the REST interface for one thing, as their attributes say:
// `data-ask="DELETE /api/kernels/x"`, `data-send` the body, `data-sure` a question before, `data-then` where to go then.
//
// Owns these buttons, and where what goes wrong is shown.

import { sure } from "./confirm.js";
import { make } from "./dom.js";
import { refresh } from "./live.js";
import { shown } from "./problem.js";
import { ask } from "./rest.js";

const trouble = make("div", { role: "alert" });
document.querySelector("h1").after(trouble);

/** Do something that may fail, and show why it did. @param {() => Promise<any>} work @returns {Promise<any>} */
export async function attempt(work) {
  trouble.replaceChildren();
  try {
    return await work();
  } catch (error) {
    if (!error.document) throw error;
    trouble.replaceChildren(shown(error.document));
    trouble.scrollIntoView({ block: "nearest" });
    return undefined;
  }
}

async function press(button) {
  const { ask: what, send, sure: question, then } = button.dataset;
  const [method, path] = what.split(" ");
  if (question && !(await sure(question, button.textContent))) return button.focus();
  button.disabled = true;
  await attempt(async () => {
    await ask(method, path, send ? JSON.parse(send) : undefined);
    if (then) location.assign(then);
    else if (document.querySelector("[data-live]")) await refresh();
    else location.reload();
  });
  button.disabled = false;
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("[data-ask]");
  if (button) press(button);
});
