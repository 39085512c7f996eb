// What `torch.explain` tells of a graph: what its steps do and move, and each kernel's text, folded.
//
// Owns how a plan is read and looks. Must not know where it comes from.

import { paint } from "./code.js";
import { make } from "./dom.js";

// Texts of strangers come here too: no part of these can match what the next one does, so that none takes long.
const BEGIN = /^[\d,]+ steps?(?:, [\d,]+ of them by the host)?, with [\d,]+ kernels?: [\d.]+ (?:[KMG]i)?B read, [\d.]+ (?:[KMG]i)?B written(?:\n|$)/;
const STEP = /^ *([\d,]+) {2}([^:\n]+): (?:kernel (\d+) \((\w+)\), ([^,\n]+) workgroups|(by the host)), (.*)$/gm;
const KERNEL = /^kernel (\d+) \((\w+)\):$/m;

/** Characters of a plan, which the server cuts at fewer. */
const MOST = 1 << 19;

/** Whether a text tells a plan. @param {string} text */
export const isPlan = (text) => text.length <= MOST && BEGIN.test(text);

/** An element that shows a plan. @param {string} text @returns {Node} */
export function plan(text) {
  const [head, ...kernels] = text.split(KERNEL);
  const steps = [...head.matchAll(STEP)];
  const [summary] = head.split(/^ +1 {2}/m);
  const more = /^ *… and .*$/m.exec(head);
  const parts = [];
  for (let at = 0; at < kernels.length; at += 3) parts.push(kernel(...kernels.slice(at, at + 3)));
  return make("div", { class: "plan" }, make("p", { class: "wrap" }, summary.trim()), steps.length ? table(steps) : null, more && make("p", { class: "faint" }, more[0].trim()), ...parts);
}

function table(steps) {
  const titles = ["", "Operations", "Computed by", "Reads", "Writes"];
  const rows = steps.map(([, number, ops, kernel, name, groups, host, buffers]) => {
    const [written, read] = buffers.split(" -> ").reverse();
    const by = host ?? `kernel ${kernel}, ${name}, ${groups} workgroups`;
    return make("tr", {}, make("td", { class: "number" }, number), ...[ops, by, read ?? "", written].map((each) => make("td", {}, each)));
  });
  const head = make("tr", {}, ...titles.map((title) => make("th", {}, title)));
  return make("div", { class: "wide", tabindex: "0" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
}

function kernel(number, name, source) {
  const text = make("pre", { class: "code", tabindex: "0" });
  paint(text, source.trim(), "wgsl");
  return make("details", {}, make("summary", {}, `Kernel ${number}: ${name}`), text);
}

for (const element of document.querySelectorAll("pre.plan")) element.replaceWith(plan(element.textContent));
