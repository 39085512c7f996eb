// The page of one script: calls it with what is in the fields, follows the run, and writes the same call for a shell.

import { attempt } from "./actions.js";
import { copying } from "./copy.js";
import { at } from "./dom.js";
import { ask, upload } from "./rest.js";
import { RunView } from "./run.js";
import { addGrant, granted, parsed } from "./script_form.js";
import { tensor } from "./tensor_field.js";

const READ = {
  checkbox: (field) => field.checked,
  number: (field) => Number(field.value),
  text: (field) => field.value,
  json: (field) => parsed(field.value, field.dataset.name),
  loose: (field) => (/^\s*["[{]/.test(field.value) ? READ.json(field) : jsonOrText(field.value.trim())),
  tensor: (field) => tensor(field.value, field.dataset.name),
};

/** JSON, or the text itself where it is none. @param {string} text */
function jsonOrText(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const form = at("call");
const view = new RunView(at("view"), undefined, addGrant);

/** What the fields ask for; what is empty and may be is left to its default. Throws `Problem`. */
function asked() {
  const given = [...form.querySelectorAll("[data-kind]")].filter((each) => each.dataset.kind === "checkbox" || each.value.trim());
  const named = given.map((each) => [each.dataset.name, READ[each.dataset.kind](each)]);
  const grants = granted(at("grants").value);
  const inputs = { ...parsed(at("others")?.value ?? "", "inputs"), ...Object.fromEntries(named) };
  return { inputs, ...(Object.keys(grants).length && { grants }) };
}

async function call() {
  at("run").disabled = true;
  await attempt(async () => {
    const { id } = await ask("POST", form.dataset.path, asked());
    view.reveal();
    await view.follow(id);
  });
  at("run").disabled = false;
  if (document.activeElement === document.body) at("run").focus();
}

/** Let the command follow the fields, as long as they can be read. */
function write() {
  try {
    const body = JSON.stringify(asked()).replaceAll("'", "'\\''");
    at("command").textContent = [
      `curl ${location.origin}${form.dataset.path}`,
      `-H "Authorization: Bearer $KERNELGATE_KEY"`,
      `-H 'Content-Type: application/json'`,
      `-H 'Prefer: wait=60'`,
      `-d '${body}'`,
    ].join(" \\\n  ");
  } catch (error) {
    if (!error.document) throw error;
  }
}

/** Put an uploaded tensor into the field beside a choice of files. */
async function take(choice) {
  const field = at(choice.dataset.into);
  await attempt(async () => {
    const [{ id }] = Object.values(await upload(choice.files[0], choice.files[0].name));
    field.value = id;
  });
  choice.value = "";
  write();
}

if (form) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    call();
  });
  form.addEventListener("input", write);
  for (const choice of form.querySelectorAll("[data-into]")) {
    choice.addEventListener("change", () => choice.files[0] && take(choice));
  }
  at("command").after(copying(at("command")));
  write();
}
