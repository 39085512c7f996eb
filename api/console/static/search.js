// Rows that have all words of a field, and are of a kind, as one types: those that are called so first. Without scripts
// the form asks the server, which has the same order.

import { at } from "./dom.js";

const rows = [...at("rows").rows].map((row) => ({
  row,
  text: row.textContent.toLowerCase(),
  kind: row.dataset.kind,
  names: row.dataset.names.trim().split(" "),
}));
const { q, kind } = at("search").elements;

function distance({ names }, asked) {
  if (names.includes(asked)) return 0;
  if (names.some((name) => name.startsWith(asked))) return 1;
  return names.some((name) => name.includes(asked)) ? 2 : 3;
}

function search() {
  const asked = q.value.trim().toLowerCase();
  const words = asked.split(/\s+/);
  let count = 0;
  for (const each of rows) {
    each.row.hidden = !(words.every((word) => each.text.includes(word)) && ["", each.kind].includes(kind.value));
    count += !each.row.hidden;
  }
  const sorted = rows.toSorted((one, other) => distance(one, asked) - distance(other, asked));
  at("rows").append(...sorted.map((each) => each.row));
  at("found").textContent = `${count} of ${rows.length}${count ? "" : ". Enter looks for names that are close."}`;
}

if (!location.search) {
  at("search").addEventListener("input", search);
  if (q.value || kind.value) search(); // typed before this came, or kept by the browser
}
