// The playground: an editor, a form for scripts and one for kernels, and the view of what came of it.
//
// Owns which of the forms is used, what is kept in the browser, and the buttons.

import { at, make } from "./dom.js";
import { Editor } from "./editor.js";
import { KernelForm } from "./kernel_form.js";
import { Problem, upload } from "./rest.js";
import { RunView } from "./run.js";
import { ScriptForm } from "./script_form.js";

const KEEP = "kernelgate.playground";
const { samples, begin } = JSON.parse(at("start").textContent);
const editor = new Editor(at("editor"), { language: "python", label: "The program" });
const view = new RunView(at("view"), (problem) => editor.text === asked.text && editor.mark(problem));
const forms = { python: new ScriptForm(), wgsl: new KernelForm() };

/** What was run last, and by which form. */
let asked = { form: null, text: "" };

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
}

/** Let the menu of examples and the fields of a kernel follow the text. */
function follow() {
  clearTimeout(typed);
  const [name] = ownSamples().find(([, sample]) => sample.text === editor.text) ?? [""];
  at("sample").value = name;
  if (form() === forms.wgsl) forms.wgsl.read(editor.text).then(keep);
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

async function run() {
  at("run").disabled = true;
  at("cancel").disabled = false;
  at("view").ariaBusy = "true";
  editor.clear();
  keep();
  if (matchMedia("(max-width: 62rem)").matches) at("view").scrollIntoView();
  try {
    await ready;
    view.clear();
    asked = { form: form(), text: editor.text };
    await asked.form.run(editor.text, view);
    keep();
  } catch (error) {
    if (error.name === "AbortError") view.fail({ title: "Cancelled", detail: "The dispatch was cancelled." });
    else if (error instanceof Problem) view.fail(error.document);
    else throw error;
  } finally {
    at("run").disabled = false;
    at("cancel").disabled = true;
    at("view").ariaBusy = "false";
  }
}

at("work").addEventListener("submit", (event) => {
  event.preventDefault();
  run();
});
at("work").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    if (!at("run").disabled) run();
  }
});
at("work").addEventListener("input", keep);
editor.field.addEventListener("input", () => {
  clearTimeout(typed);
  typed = setTimeout(follow, PAUSE_MS);
});
at("cancel").addEventListener("click", () => asked.form?.cancel().catch((error) => view.fail(error.document)));
at("sample").addEventListener("change", ({ target }) => target.value && start(target.value));
at("file").addEventListener("change", ({ target }) => target.files[0] && (ready = send(target.files[0], target.files[0].name)));
for (const choice of document.querySelectorAll('input[name="language"]')) {
  choice.addEventListener("change", () => use(choice.value));
}
const wanted = location.hash === "#kernel" ? "wgsl" : localStorage.getItem(KEEP) ?? "python";
use(begin?.language ?? wanted, begin ?? undefined);
