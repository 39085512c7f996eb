// The page of one script: calls it with what is in the fields, and follows the run.

import { attempt } from "./actions.js";
import { at } from "./dom.js";
import { ask } from "./rest.js";
import { RunView } from "./run.js";
import { granted, parsed } from "./script_form.js";

const READ = {
  checkbox: (field) => field.checked,
  number: (field) => Number(field.value),
  text: (field) => field.value,
  json: (field) => parsed(field.value, field.name),
};

const form = at("call");

/** The inputs; what is empty and may be is left to its default. */
function inputs() {
  const given = [...form.querySelectorAll("[data-kind]")].filter((each) => each.dataset.kind === "checkbox" || each.value.trim());
  const named = given.map((each) => [each.name, READ[each.dataset.kind](each)]);
  return { ...parsed(at("others")?.value ?? "", "inputs"), ...Object.fromEntries(named) };
}

form?.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(async () => {
    const { id } = await ask("POST", form.dataset.path, { inputs: inputs(), grants: granted(at("grants").value) });
    await new RunView(at("view")).follow(id);
  });
});
