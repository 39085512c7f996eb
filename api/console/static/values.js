// Results by kind: numbers and text, tables, pictures, plots, what is nested folded.
//
// Owns which view a value gets. Must not know runs.

import { make, number, size } from "./dom.js";
import { isPlan, plan } from "./plan.js";
import { Plot } from "./plot.js";
import { frame, picture } from "./picture.js";
import { MOST, address, bytes, count, elements } from "./tensor.js";

const ROWS = 200;
const COLUMNS = 40;
const SHORT = 12;
const MANY = 10_000;

/** Elements of a matrix that is rather read than looked at. */
const SMALL = 150;

/** An element that shows a value as our JSON has it. @param {any} value @param {number} [depth] @returns {Node} */
export function shown(value, depth = 0) {
  if (value === null || typeof value !== "object") return scalar(value);
  if (Array.isArray(value)) return list(value, depth);
  const [[tag, content] = [], ...others] = Object.entries(value);
  if (!others.length && isTag(tag)) return TAGS[tag](content);
  return fields(Object.entries(value), depth);
}

const TAGS = {
  $tensor: (content) => tensor(content),
  $float: (content) => scalar(content),
  $bytes: (content) => {
    const found = Uint8Array.from(atob(content), (each) => each.charCodeAt(0));
    const start = [...found.slice(0, 16)].map((each) => each.toString(16).padStart(2, "0")).join(" ");
    return make("span", {}, make("code", {}, start + (found.length > 16 ? " …" : "")), " ", download(found));
  },
};

const isTag = (name) => Object.hasOwn(TAGS, name);

/** A key as its owner wrote it: `$` is doubled where it might be taken for a tag. */
const key = (name) => name.replace(/^\$\$/, "$");

function download(content) {
  const address = URL.createObjectURL(new Blob([content]));
  return make("a", { href: address, download: "bytes.bin" }, `${size(content.length)}`);
}

function scalar(value) {
  if (typeof value === "string" && isPlan(value)) return plan(value);
  if (typeof value === "string" && (value.length > 80 || value.includes("\n"))) return make("pre", { tabindex: "0" }, value);
  return make("span", { class: typeof value === "string" ? "value text" : "value" }, value === null ? "None" : number(value));
}

function plain(value) {
  return value === null || typeof value !== "object" || "$float" in value;
}

function text(value) {
  return value === null ? "" : typeof value === "object" ? value.$float ?? JSON.stringify(value) : number(value);
}

function list(values, depth) {
  if (!values.length) return make("span", { class: "faint" }, "an empty list");
  if (values.every(numeric)) return numbers(values.map((each) => (each.$float ? Number(each.$float) : each)));
  if (values.every(plain)) return make("ol", { class: "plain", start: "0" }, ...values.slice(0, ROWS).map((each) => make("li", {}, scalar(each?.$float ?? each))));
  if (values.every((each) => Array.isArray(each) && each.length === values[0].length && each.every(plain))) {
    return table(values, null);
  }
  if (values.every((each) => each && !Array.isArray(each) && !Object.keys(each).some(isTag) && Object.values(each).every(plain))) {
    const names = [...new Set(values.flatMap(Object.keys))];
    return table(values.map((each) => names.map((name) => each[name] ?? null)), names);
  }
  return fields(values.slice(0, ROWS).map((each, index) => [String(index), each]), depth);
}

const numeric = (value) => typeof value === "number" || typeof value === "bigint" || Boolean(value?.$float);

function numbers(values) {
  const texts = (most) => values.slice(0, most).map(number).join(", ");
  if (values.length <= SHORT) return make("code", { class: "value" }, `[${texts(SHORT)}]`);
  return views({ Plot: () => series(values), Numbers: () => make("pre", { class: "wrap", tabindex: "0" }, texts(MANY)) });
}

function series(values) {
  const plot = new Plot("");
  values.forEach((value, turn) => plot.add(turn, Number(value)));
  return plot.element;
}

/** Rows and columns. @param {any[][]} rows @param {string[]|null} names of the columns */
function table(rows, names) {
  const width = Math.min(COLUMNS, rows[0].length);
  const kind = (value) => (typeof value === "string" ? null : "number");
  const cell = (value) => make("td", { class: kind(value) }, text(value));
  const body = rows.slice(0, ROWS).map((row) => make("tr", {}, ...Array.from(row).slice(0, width).map(cell)));
  const head = names && make("thead", {}, make("tr", {}, ...names.slice(0, width).map((name, at) => make("th", { class: kind(rows[0][at]) }, key(name)))));
  const more = rows.length > ROWS || rows[0].length > width ? make("p", { class: "faint" }, `${rows.length} rows, ${rows[0].length} columns in all`) : null;
  return make("div", { class: "table" }, make("div", { class: "wide", tabindex: "0" }, make("table", {}, head || null, make("tbody", {}, ...body))), more);
}

function fields(entries, depth) {
  const parts = entries.map(([name, value]) => {
    const nested = depth >= 1 && value !== null && typeof value === "object" && !Object.keys(value).some(isTag);
    return [make("dt", {}, key(name)), make("dd", {}, nested ? folded(value, depth) : shown(value, depth + 1))];
  });
  return entries.length ? make("dl", {}, ...parts.flat()) : make("span", { class: "faint" }, "an empty dict");
}

function folded(value, depth) {
  const label = Array.isArray(value) ? `a list of ${value.length}` : `a dict of ${Object.keys(value).length}`;
  const box = make("details", { toggle: () => box.children.length > 1 || box.append(shown(value, depth + 1)) }, make("summary", {}, label));
  return box;
}

function tensor(content) {
  const label = make("code", { class: "faint" }, `${content.dtype} [${content.shape.join(", ")}]`);
  const links = content.id
    ? make("span", { class: "faint" }, make("a", { href: address(content, "npy"), download: `${content.id}.npy` }, ".npy"), ` ${size(bytes(content))}`)
    : "";
  const box = make("figure", { class: "tensor" }, make("figcaption", {}, label, " ", links));
  const fetched = bytes(content) <= MOST && count(content) > 0;
  if (fetched) elements(content).then((values) => box.append(viewOf(values, content.shape)), (error) => box.append(make("p", { class: "problem" }, error.message)));
  else box.append(make("p", { class: "faint" }, count(content) ? "too large to be shown here" : "no elements"));
  return box;
}

function viewOf(values, shape) {
  if (!shape.length) return scalar(values[0]);
  if (shape.length === 1) return numbers(Array.from(values));
  const width = shape.at(-1);
  const rows = () => Array.from({ length: values.length / width }, (_, row) => Array.prototype.slice.call(values, row * width, (row + 1) * width));
  const grid = { Table: () => table(rows(), null) };
  if (!frame(shape)) return views(grid);
  const drawn = (scale) => () => picture(Float64Array.from(values, Number), shape, scale);
  const pictures = frame(shape).channels > 1 ? { Picture: drawn("grays") } : { Colours: drawn("colours"), Grays: drawn("grays") };
  return views(values.length <= SMALL && shape.length === 2 ? { ...grid, ...pictures } : { ...pictures, ...grid });
}

/** Several views of one value, the first of which is seen. @param {Record<string, () => Node>} choices */
function views(choices) {
  const place = make("div");
  const names = Object.keys(choices);
  const buttons = names.map((name) => make("button", { type: "button", class: "quiet small", click: () => choose(name) }, name));
  const choose = (name) => {
    buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(names[index] === name)));
    place.replaceChildren(choices[name]());
  };
  choose(names[0]);
  return make("div", { class: "views" }, names.length > 1 ? make("div", { class: "choices" }, ...buttons) : null, place);
}
