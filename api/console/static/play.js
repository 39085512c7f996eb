// The playground: an editor, a form for scripts and one for kernels, and the view of what came of it.
//
// Owns which of the forms is used, what is kept in the browser, whether what is shown is of what is written, the buttons.

import { at, make } from "./dom.js";
import { carried } from "./denials.js";
import { Editor } from "./editor.js";
import { KernelForm } from "./kernel_form.js";
import { Problem, upload } from "./rest.js";
import { RunView } from "./run.js";
import { addGrant, ScriptForm } from "./script_form.js";
import { store } from "./store.js";

const KEEP = "kernelgate.playground";
const LANGUAGES = { "#kernel": "wgsl", "#script": "python" };
const { samples, begin, stores } = JSON.parse(at("start").textContent);
const editor = new Editor(at("editor"), { language: "python", label: "The program" });
const view = new RunView(at("view"), (problem) => editor.text === asked.text && editor.mark(problem), addGrant);
const forms = { python: new ScriptForm(), wgsl: new KernelForm() };

/** What was run last, by which form, and whether one of its fields was changed since. */
let asked = { form: null, text: "", changed: false };

/** The buttons that keys with Ctrl or ⌘ press. */
const KEYS = { Enter: at("run"), s: at("store") };

/** Until a text that is typed is read. */
const PAUSE_MS = 400;
let typed;

/** When what is uploaded has arrived. */
let ready = Promise.resolve();

const form = () => forms[editor.language];
const ownSamples = () => Object.entries(samples).filter(([, sample]) => sample.language === editor.language);
const kept = (language) => JSON.parse(localStorage.getItem(`${KEEP}.${language}`) ?? "null");

function keep() {
  localStorage.setItem(`${KEEP}.${editor.language}`, JSON.stringify({ text: editor.text, ...form().state }));
  localStorage.setItem(KEEP, editor.language);
}

/** Use the fields of a language, with what was written there last, or its first example. */
function use(language, state = kept(language)) {
  editor.language = language;
  document.querySelector(`input[name="language"][value="${language}"]`).checked = true;
  for (const part of document.querySelectorAll("section[data-language]")) part.hidden = part.dataset.language !== language;
  const own = ownSamples();
  at("note").replaceChildren();
  at("store").hidden = !(language in stores);
  at("sample").replaceChildren(
    make("option", { value: "" }, "Begin with an example …"),
    ...own.map(([name, sample]) => make("option", { value: name }, sample.title)),
  );
  if (state) fill(state);
  else start(own.find(([, sample]) => !sample.file)[0]);
}

function fill(state) {
  form().state = state;
  editor.text = state.text;
  follow();
  age();
}

/** Let the menu of examples and the fields of a kernel follow the text. */
function follow() {
  clearTimeout(typed);
  const [name] = ownSamples().find(([, sample]) => sample.text === editor.text) ?? [""];
  at("sample").value = name;
  if (form() === forms.wgsl) forms.wgsl.read(editor.text).then(keep);
}

/** Let what came of a run be seen to be of what is written no longer. */
function age() {
  const old = asked.form !== null && (asked.changed || asked.form !== form() || asked.text !== editor.text);
  at("view").classList.toggle("stale", old);
  at("stale").textContent = old ? "This is from before your change." : "";
}

/** Begin with an example. @param {string} name */
function start(name) {
  fill(samples[name]);
  if (samples[name].file) ready = attach(samples[name].file);
}

async function attach(address) {
  const name = address.split("/").at(-1).split("?")[0];
  await send(await (await fetch(address)).blob(), name);
}

async function send(file, name) {
  at("note").textContent = `uploading ${name} …`;
  try {
    form().take(await upload(file, name));
    at("note").textContent = "";
    keep();
  } catch (error) {
    at("note").textContent = error.message;
  }
}

/** Show what went wrong with what was run, or stored. */
function fail(error) {
  if (error.name === "AbortError") view.fail({ title: "Cancelled", detail: "The dispatch was cancelled." }, "cancelled");
  else if (error instanceof Problem) view.fail(error.document);
  else throw error;
}

function begun() {
  view.clear();
  asked = { form: form(), text: editor.text, changed: false };
  age();
}

async function storeIt() {
  editor.clear();
  try {
    const stored = await editor.away(store(editor.language, editor.text, form().name || at("sample").value, stores[editor.language]));
    if (!stored) return;
    form().name = stored.name;
    at("note").replaceChildren("Stored as ", stored.link, ".");
    keep();
  } catch (error) {
    begun();
    fail(error);
  }
}

/** Let the buttons, and who only listens, know whether something runs. Who works by keys is led from Run to Cancel, and back. */
function busy(is) {
  const [from, to] = is ? [at("run"), at("cancel")] : [at("cancel"), at("run")];
  to.disabled = false;
  if (document.activeElement === from) to.focus();
  from.disabled = true;
  at("store").disabled = is;
  at("view").ariaBusy = String(is);
}

async function run() {
  busy(true);
  editor.clear();
  keep();
  view.reveal();
  try {
    await ready;
    begun();
    await asked.form.run(editor.text, view);
    keep();
  } catch (error) {
    fail(error);
  } finally {
    busy(false);
  }
}

at("work").addEventListener("submit", (event) => {
  event.preventDefault();
  run();
});
at("work").addEventListener("keydown", (event) => {
  const button = event.ctrlKey || event.metaKey ? KEYS[event.key] : undefined;
  if (!button || button.hidden) return;
  event.preventDefault();
  button.click();
});
at("work").addEventListener("input", ({ target }) => {
  keep();
  history.replaceState(null, "", location.pathname);
  asked.changed ||= target !== editor.field;
  age();
});
editor.field.addEventListener("input", () => {
  clearTimeout(typed);
  typed = setTimeout(follow, PAUSE_MS);
});
at("cancel").addEventListener("click", () => asked.form?.cancel().catch(fail));
at("store").addEventListener("click", storeIt);
at("sample").addEventListener("change", ({ target }) => target.value && start(target.value));
at("file").addEventListener("change", ({ target }) => target.files[0] && (ready = send(target.files[0], target.files[0].name)));
for (const choice of document.querySelectorAll('input[name="language"]')) {
  choice.addEventListener("change", () => use(choice.value));
}
const wanted = LANGUAGES[location.hash] ?? localStorage.getItem(KEEP) ?? "python";
use(begin?.language ?? wanted, begin ?? undefined);
const grant = carried(location.hash);
if (grant) addGrant(grant);
