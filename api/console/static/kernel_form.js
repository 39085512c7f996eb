// What a kernel is dispatched with beside its text: bindings, as reflection finds them, size, overrides, fuel.
//
// Owns these fields, and stores and dispatches kernels. Must not know the editor or how results are shown.

import { at, make } from "./dom.js";
import { paint } from "./code.js";
import { ask } from "./rest.js";
import { cost } from "./run.js";
import { parsed } from "./script_form.js";

const SAMPLE = 16;

export class KernelForm {
  constructor() {
    this.fields = new Map();
    this.given = {};
    this.suggestions = {};
    at("how").addEventListener("change", () => this.sizeChosen());
  }

  /** The name that the kernel is stored under. */
  get name() {
    return at("name").value;
  }

  set name(name) {
    at("name").value = name;
  }

  get state() {
    const entry = at("entry").value || this.entry;
    return { bindings: this.values, name: this.name, entry, how: at("how").value, much: at("much").value, overrides: at("overrides").value };
  }

  /** @param {{inputs?: string, size?: string, bindings?: Record<string, string>, name?: string}} state a sample's, or one of ours */
  set state({ inputs = "{}", size = "{}", bindings, name = "playground", entry = "", how, much, overrides = "" }) {
    const [[chosen, sizes] = ["", ""]] = Object.entries(JSON.parse(size));
    const texts = Object.entries(JSON.parse(inputs)).map(([each, value]) => [each, JSON.stringify(value)]);
    this.given = bindings ?? Object.fromEntries(texts);
    this.suggestions = {};
    this.entry = entry;
    this.told = null;
    this.fields.clear();
    this.name = name;
    at("how").value = how ?? chosen;
    at("much").value = much ?? (Array.isArray(sizes) ? sizes.join(", ") : sizes);
    at("overrides").value = overrides;
    at("entry").replaceChildren();
    at("bindings").replaceChildren();
    at("guarded").hidden = true;
    this.sizeChosen();
  }

  /** What is written in the fields, and was in those whose bindings the text has no longer. */
  get values() {
    return { ...this.given, ...Object.fromEntries([...this.fields].map(([name, field]) => [name, field.value])) };
  }

  /** Let the fields follow the text; those of one that is no kernel yet stay. @param {string} source */
  async read(source) {
    this.reading?.abort();
    this.reading = new AbortController();
    try {
      this.reflect(await ask("POST", "/api/kernels/reflect", { source }, { signal: this.reading.signal }));
    } catch (error) {
      if (error.name === "AbortError") return;
      if (!error.document) throw error;
      if (this.fields.size) return;
      at("bindings").replaceChildren(make("p", { class: "faint" }, "They are found as soon as the kernel can be read."));
    }
  }

  sizeChosen() {
    const { much } = at("how").selectedOptions[0].dataset;
    at("much").parentElement.hidden = !much;
    at("much").labels[0].textContent = much ?? "";
  }

  /** Take uploaded tensors for the bindings of their names; a lone one of another name for the first that is read. */
  take(tensors) {
    const records = Object.entries(tensors);
    for (const [name, { id }] of records) {
      const field = this.fields.get(name) ?? (records.length === 1 ? [...this.fields.values()][0] : null);
      const text = JSON.stringify({ $tensor: { id } });
      if (field) field.value = text;
      else this.given[name] = text;
    }
  }

  /** Store the kernel, dispatch it, show what it wrote. @param {string} source @param {import("./run.js").RunView} view */
  async run(source, view) {
    view.said("running");
    this.reading?.abort();
    this.leave = new AbortController();
    const more = { signal: this.leave.signal };
    const stored = await ask("POST", "/api/kernels", { name: this.name, source }, more);
    this.reflect(stored);
    const { guarded } = await ask("GET", `/api/kernels/${stored.name}`, undefined, more);
    at("guarded").hidden = false;
    paint(at("guarded").querySelector("pre"), guarded, "wgsl");
    const path = `/api/kernels/${stored.name}@${stored.hash.slice(0, 16)}/dispatch`;
    const { outputs, usage } = await ask("POST", path, this.asked(stored), more);
    view.said("succeeded");
    view.show(outputs);
    view.facts.replaceChildren(cost(usage));
  }

  /** Leave: the server cancels what nobody waits for. */
  async cancel() {
    this.leave?.abort();
  }

  /** Show what the server found in a kernel. */
  reflect({ bindings, entry_points: entries }) {
    const chosen = at("entry").value || this.entry;
    at("entry").replaceChildren(
      ...entries.map(({ name, workgroup_size: size }) => make("option", { value: name, selected: name === chosen }, `${name} (${size.join(" × ")})`)),
    );
    const told = JSON.stringify(bindings);
    if (told === this.told) return;
    this.told = told;
    this.given = this.values;
    this.fields = new Map(bindings.map((binding) => [binding.name, this.field(binding)]));
    at("bindings").replaceChildren(...[...this.fields].map(([, field]) => field.parentElement));
    if (!bindings.length) at("bindings").append(make("p", { class: "faint" }, "It has none."));
  }

  /** A field with what was given for a binding, or with something to begin with as long as nothing else is written. */
  field(binding) {
    const suggestion = JSON.stringify(suggested(binding));
    const given = this.given[binding.name] ?? "";
    const text = given === (this.suggestions[binding.name] ?? "") ? suggestion : given;
    this.suggestions[binding.name] = suggestion;
    const field = make("textarea", { rows: Math.min(4, Math.ceil(text.length / 60)), spellcheck: "false" });
    field.value = text;
    const about = ` ${binding.kind === "uniform" ? "uniform" : binding.access} ${binding.type}`;
    make("label", {}, make("b", {}, binding.name), make("code", { class: "faint" }, about), field);
    return field;
  }

  asked({ bindings, entry_points: entries }) {
    const entry = at("entry").value;
    const reached = new Set(entries.find(({ name }) => name === entry).reads);
    const inputs = bindings.filter(({ name }) => reached.has(name)).map((each) => [each.name, value(each, this.fields.get(each.name).value)]);
    const how = at("how").value;
    const much = at("much").value;
    const size = how ? { [how]: how === "over" ? much.trim() : much.split(/[\s,×x]+/).filter(Boolean).map(Number) } : {};
    const fuel = at("fuel").value ? { fuel: Number(at("fuel").value) } : {};
    return { inputs: Object.fromEntries(inputs), entry_point: entry, overrides: parsed(at("overrides").value, "overrides"), ...size, ...fuel };
  }
}

/** What a binding is given, as JSON has it; a plain list becomes a tensor of the binding's element type. */
function value(binding, text) {
  const found = parsed(text, binding.name);
  if (!Array.isArray(found) || binding.kind === "uniform" || !binding.element || typeof found.flat(Infinity)[0] === "string") return found;
  return { $tensor: { shape: shapeOf(found), dtype: binding.element, data: found.flat(Infinity) } };
}

function shapeOf(list) {
  return Array.isArray(list) ? [list.length, ...shapeOf(list[0])] : [];
}

/** Something to begin with. */
function suggested({ kind, access, element, fields = [] }) {
  if (kind === "uniform") return fields.length ? Object.fromEntries(fields.map(({ name }) => [name, 0])) : 0;
  if (access === "read") return Array.from({ length: SAMPLE }, (_, index) => index);
  return { shape: [SAMPLE], dtype: element || "u32" };
}
