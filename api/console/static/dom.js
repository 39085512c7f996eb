// Elements, made in one expression. Owns nothing; text is always text, never markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * A new element with attributes (functions become listeners of events, null and false are left out) and contents.
 * @param {string} name @param {Record<string, any>} [attributes] @param {...(Node|string|number|null)} contents
 * @returns {any}
 */
export function make(name, attributes = {}, ...contents) {
  return fill(document.createElement(name), attributes, contents);
}

/** The same, for elements of pictures. @returns {any} */
export function draw(name, attributes = {}, ...contents) {
  return fill(document.createElementNS(SVG, name), attributes, contents);
}

function fill(element, attributes, contents) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...contents.filter((each) => each !== null).map((each) => (each instanceof Node ? each : String(each))));
  return element;
}

/** The element of the page with an id. @param {string} id @returns {any} */
export const at = (id) => document.getElementById(id);

/** A size in bytes as people read it. @param {number} bytes */
export function size(bytes) {
  const power = Math.min(4, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${power ? (bytes / 1024 ** power).toFixed(1) : bytes} ${["B", "KiB", "MiB", "GiB", "TiB"][power]}`;
}

/** A duration as people read it. @param {number} ms */
export function duration(ms) {
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  return ms < 60000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.floor(ms / 60000)} min ${Math.floor((ms % 60000) / 1000)} s`;
}

/** A number with as many digits as tell something. @param {any} value */
export function number(value) {
  if (typeof value !== "number" || Number.isInteger(value)) return String(value);
  return String(Number(value.toPrecision(6)));
}
