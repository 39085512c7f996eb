// What a run of a script is asked with beside its text: inputs, grants, limits. Owns these fields, and starts and
// cancels runs. Must not know the editor or how a run is shown.

import { at } from "./dom.js";
import { parse } from "./grants.js";
import { ask, Problem } from "./rest.js";

export class ScriptForm {
  constructor() {
    this.limits = [...at("limiting").querySelectorAll("input")];
  }

  /** What is kept of the fields: not grants, which may hold secrets. */
  get state() {
    return { inputs: at("inputs").value };
  }

  /** @param {{inputs?: string, limits?: Record<string, number>, grants?: object}} state */
  set state({ inputs = "{}", limits = {}, grants = {} }) {
    at("inputs").value = inputs;
    at("grants").value = Object.keys(grants).length ? JSON.stringify(grants, null, 2) : "";
    at("granting").open = Boolean(at("grants").value);
    for (const field of this.limits) {
      const value = limits[field.name];
      field.value = value === undefined || value === Number(field.placeholder) ? "" : value;
    }
  }

  /** Take uploaded tensors as inputs. @param {Record<string, {id: string}>} tensors */
  take(tensors) {
    const inputs = parsed(at("inputs").value, "inputs");
    for (const [name, { id }] of Object.entries(tensors)) inputs[name] = { $tensor: { id } };
    at("inputs").value = `{\n${Object.entries(inputs).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(",\n")}\n}`;
  }

  /** Start a run, and show it until it is over. @param {string} script @param {import("./run.js").RunView} view */
  async run(script, view) {
    const limits = Object.fromEntries(this.limits.filter((each) => each.value).map((each) => [each.name, Number(each.value)]));
    const grants = granted(at("grants").value);
    const { id } = await ask("POST", "/api/runs", { script, inputs: parsed(at("inputs").value, "inputs"), limits, grants });
    this.id = id;
    await view.follow(id);
  }

  /** Cancel the run that was started last. */
  async cancel() {
    if (this.id) await ask("DELETE", `/api/runs/${this.id}`);
  }
}

/** JSON that a person wrote. @param {string} text @param {string} what it is @returns {any} Throws `Problem`. */
export function parsed(text, what) {
  if (!text.trim()) return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Problem({ title: "This is not JSON", code: what, detail: `${what}: ${error.message}` });
  }
}

/** Grants that a person wrote. @param {string} text @returns {Record<string, any>} Throws `Problem`. */
export function granted(text) {
  try {
    return parse(text);
  } catch (error) {
    throw new Problem({ title: "These are no grants", code: "grants", detail: error.message });
  }
}
