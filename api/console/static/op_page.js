// The page of one operation: sends the request that is written there, and shows what comes of it.

import { attempt } from "./actions.js";
import { at, make } from "./dom.js";
import { ask } from "./rest.js";
import { cost } from "./run.js";
import { parsed } from "./script_form.js";
import { shown } from "./values.js";

const name = at("op").textContent;
const body = at("body");

/** JSON with a line for each input and each attribute. */
function written({ inputs, attributes }) {
  const lines = inputs.map((each) => `    ${JSON.stringify(each)}`);
  const fields = Object.entries(attributes).map(([key, value]) => `    ${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  const more = fields.length ? `,\n  "attributes": {\n${fields.join(",\n")}\n  }` : "";
  return `{\n  "inputs": [\n${lines.join(",\n")}\n  ]${more}\n}`;
}

async function run() {
  at("view").replaceChildren();
  at("note").textContent = "computing …";
  await attempt(async () => {
    const { output, usage } = await ask("POST", `/api/ops/${name}`, parsed(body.value, "body"));
    at("view").replaceChildren(make("h3", {}, "Result"), shown(output), cost(usage));
  });
  at("note").textContent = "";
}

body.value = written(JSON.parse(body.value));
at("try").addEventListener("submit", (event) => {
  event.preventDefault();
  run();
});
body.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) at("try").requestSubmit();
});
