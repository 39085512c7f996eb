// What to do about what a run was denied: grants to ask for, or a key that has them. Grants nothing by itself.
//
// Owns the words, and how an address carries a grant. Must not know which page it is on.

import { copying } from "./copy.js";
import { make } from "./dom.js";
import { merged } from "./grants.js";

const MARK = "#grant=";

/** The grant that an address carries to a form; null for none that can be read. @param {string} hash @returns {Record<string, any>|null} */
export function carried(hash) {
  if (!hash.startsWith(MARK)) return null;
  try {
    return JSON.parse(decodeURIComponent(hash.slice(MARK.length)));
  } catch {
    return null;
  }
}

/**
 * What to do, where a grant would have opened what was denied.
 * @param {{grant: object, by: "run"|"key"}[]} denials @param {string} run its id
 * @param {{key?: string, makesKeys?: string}} who the run's key, none where it is not the reader's to know, and whether he
 * may make others
 * @param {((grant: object) => void)|null} add puts a grant into a form for the next run
 * @returns {HTMLElement}
 */
export function offered(denials, run, { key, makesKeys }, add) {
  const grant = denials.map((each) => each.grant).reduce(merged, {});
  const mark = MARK + encodeURIComponent(JSON.stringify(grant));
  const again = `/console/play?run=${run}${mark}`;
  const form = `/console/keys?like=${key}${mark}`;
  if (!key || denials.every(({ by }) => by === "run")) return add ? button(() => add(grant)) : link(again, "Grant it, and run again …");
  if (makesKeys !== undefined) return link(form, "Grant it to a new key …");
  const address = make("input", { class: "mono", readonly: true, id: "form-address", value: location.origin + form });
  const words = "For an admin: the form of a key like this one, with the grant";
  return make("div", {}, make("label", { for: "form-address" }, words), address, copying(address));
}

const row = (control) => make("p", { class: "offer" }, control);
const link = (address, words) => row(make("a", { class: "button quiet", href: address }, words));
const button = (click) => row(make("button", { type: "button", class: "quiet", click }, "Add it to the grants"));
