// What a run of a script is asked with beside its text: inputs, grants, limits. Owns these fields, and starts and
// cancels runs. Must not know the editor or how a run is shown.

import { at, make } from "./dom.js";
import { merged, parse, written } from "./grants.js";
import { ask, Problem } from "./rest.js";
import { shown } from "./values.js";

export class ScriptForm {
  constructor() {
    this.name = "";
    this.limits = [...at("limiting").querySelectorAll("input")];
    this.tensors = {};
  }

  /** What is kept of the fields: not grants, which may hold secrets. */
  get state() {
    return { inputs: at("inputs").value, tensors: this.tensors, name: this.name };
  }

  /** @param {{inputs?: string, tensors?: Record<string, any>, limits?: Record<string, number>, grants?: object, name?: string}} state */
  set state({ inputs = "{}", tensors = {}, limits = {}, grants = {}, name = "" }) {
    this.name = name;
    at("inputs").value = inputs;
    this.tensors = {};
    this.take(tensors);
    at("grants").value = Object.keys(grants).length ? written(grants) : "";
    at("granting").open = Boolean(at("grants").value);
    for (const field of this.limits) {
      const value = limits[field.name];
      field.value = value === undefined || value === Number(field.placeholder) ? "" : value;
    }
  }

  /** Take uploaded tensors as inputs. @param {Record<string, {id: string, shape: number[], dtype: string}>} tensors */
  take(tensors) {
    for (const [name, { id, shape, dtype }] of Object.entries(tensors)) this.tensors[name] = { id, shape, dtype };
    at("tensors").replaceChildren(...Object.keys(this.tensors).map((name) => this.folded(name)));
  }

  /** A tensor among the inputs: what it is, its elements when it is opened, and a button that takes it away. */
  folded(name) {
    const tensor = this.tensors[name];
    const about = make("summary", {}, make("b", {}, name), make("code", { class: "faint" }, ` ${tensor.dtype} [${tensor.shape.join(", ")}]`));
    const box = make("details", { toggle: () => box.children.length > 1 || box.append(shown({ $tensor: tensor })) }, about);
    const drop = () => {
      delete this.tensors[name];
      row.dispatchEvent(new Event("input", { bubbles: true }));
      row.remove();
    };
    const row = make("div", { role: "listitem" }, box, make("button", { type: "button", class: "quiet small", "aria-label": `Leave out ${name}`, click: drop }, "×"));
    return row;
  }

  /** Start a run, and show it until it is over. @param {string} script @param {import("./run.js").RunView} view */
  async run(script, view) {
    const limits = Object.fromEntries(this.limits.filter((each) => each.value).map((each) => [each.name, Number(each.value)]));
    const grants = granted(at("grants").value);
    const tensors = Object.fromEntries(Object.entries(this.tensors).map(([name, { id }]) => [name, { $tensor: { id } }]));
    const inputs = { ...tensors, ...parsed(at("inputs").value, "inputs") };
    const { id } = await ask("POST", "/api/runs", { script, inputs, limits, grants });
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

/** Add a grant to those that are written, and lead there. @param {Record<string, any>} grant */
export function addGrant(grant) {
  const field = at("grants");
  field.value = written(merged(granted(field.value), grant));
  field.closest("details").open = true;
  field.focus();
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Grants that a person wrote. @param {string} text @returns {Record<string, any>} Throws `Problem`. */
export function granted(text) {
  try {
    return parse(text);
  } catch (error) {
    throw new Problem({ title: "These are no grants", code: "grants", detail: error.message });
  }
}
