// The page of one run: follows it from its first event, and cancels it.

import { at } from "./dom.js";
import { ask } from "./rest.js";
import { RunView } from "./run.js";

const id = at("run").textContent;
const cancel = at("cancel");

cancel?.addEventListener("click", async () => {
  cancel.disabled = true;
  at("note").textContent = "cancelling …";
  try {
    await ask("DELETE", `/api/runs/${id}`);
    at("note").textContent = "";
  } catch (error) {
    at("note").textContent = error.message;
  }
});

await new RunView(at("view")).follow(id);
cancel?.remove();
