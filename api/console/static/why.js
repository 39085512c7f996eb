// Asks why a key may do something, or not, and shows which rule says so.

import { attempt } from "./actions.js";
import { at, make } from "./dom.js";
import { ask } from "./rest.js";
import { granted } from "./script_form.js";

function shown({ allowed, rule, detail, hint, code, grant }) {
  return make(
    "div",
    { class: allowed ? "card" : "card problem" },
    make("p", {}, make("span", { class: `status ${allowed ? "succeeded" : "failed"}` }, allowed ? "allowed" : "denied"), " by ", make("code", {}, rule)),
    make("p", {}, detail),
    hint ? make("p", {}, hint) : null,
    grant ? make("pre", {}, JSON.stringify(grant, null, 2)) : null,
    code ? make("p", { class: "faint" }, make("a", { href: `/docs#error-${code}` }, make("code", {}, code))) : null,
  );
}

function actionChosen() {
  at("words").textContent = at("action").selectedOptions[0].dataset.words;
}

at("action").addEventListener("change", actionChosen);
at("why").addEventListener("submit", (event) => {
  event.preventDefault();
  at("answer").replaceChildren();
  attempt(async () => {
    const key = at("key")?.value;
    const grants = at("grants").value.trim();
    const question = { action: at("action").value, resource: at("resource").value };
    at("answer").replaceChildren(
      shown(await ask("POST", "/api/explain", { ...question, ...(key && { key }), ...(grants && { grants: granted(grants) }) })),
    );
  });
});
actionChosen();
