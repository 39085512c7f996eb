// What a person writes for a tensor: lists of numbers, as torch.tensor takes them, perhaps with a dtype, or an id.
//
// Owns that form. Must not know the field.

import { Problem } from "./rest.js";

/**
 * The tensor of a text: `[[1, 2], [3, 4]]`, `f16:[1, 2]`, `ten_…`, or JSON as requests have it. Without a dtype it is bool,
 * i32 or f32, as the numbers are written.
 * @param {string} text @param {string} name of the input @returns {any} Throws `Problem`.
 */
export function tensor(text, name) {
  const written = text.trim();
  if (/^ten_\w+$/.test(written)) return { $tensor: { id: written } };
  const [, asked, list] = written.match(/^(?:(\w+):)?([^]*)$/);
  const value = parsed(list, name);
  if (!asked && !Array.isArray(value) && typeof value === "object") return value;
  const shape = shapeOf(value);
  const data = [value].flat(shape.length + 1);
  if (!fits(value, shape)) throw wrong(name, "the lists of one level differ in length");
  const kinds = new Set(data.map((each) => typeof each));
  if (kinds.size > 1 || [...kinds].some((kind) => kind !== "number" && kind !== "boolean")) {
    throw wrong(name, "a tensor is of numbers alone, or of true and false");
  }
  return { $tensor: { shape, dtype: asked ?? dtypeOf(kinds, list), data } };
}

function parsed(text, name) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw wrong(name, error.message);
  }
}

const wrong = (name, detail) =>
  new Problem({ title: "This is no tensor", code: name, detail: `${name}: ${detail}`, hint: "As f32:[[1, 2], [3, 4]], or the id of one that is stored." });

/** The lengths of the first list of each level. */
function shapeOf(value) {
  return Array.isArray(value) ? [value.length, ...(value.length ? shapeOf(value[0]) : [])] : [];
}

function fits(value, [length, ...rest]) {
  if (length === undefined) return !Array.isArray(value);
  return Array.isArray(value) && value.length === length && value.every((each) => fits(each, rest));
}

function dtypeOf(kinds, text) {
  if (kinds.has("boolean")) return "bool";
  return kinds.size && !/[.eE]/.test(text) ? "i32" : "f32";
}
