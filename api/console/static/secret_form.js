// The form of a secret: stores it, and forgets what was typed.

import { attempt } from "./actions.js";
import { at } from "./dom.js";
import { refresh } from "./live.js";
import { ask } from "./rest.js";

const form = at("secret");
form?.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(async () => {
    const name = at("name").value;
    await ask("PUT", `/api/secrets/${form.dataset.owner}/${name}`, { value: at("value").value });
    form.reset();
    at("note").textContent = `${name} is stored.`;
    await refresh();
  });
});
