// Rows that have all words of a field, and are of a kind, as one types. Without scripts the form asks the server.

import { at } from "./dom.js";

const rows = [...at("rows").rows].map((row) => ({ row, text: row.textContent.toLowerCase(), kind: row.dataset.kind }));
const { q, kind } = at("search").elements;

function search() {
  const words = q.value.toLowerCase().split(/\s+/);
  let count = 0;
  for (const each of rows) {
    each.row.hidden = !(words.every((word) => each.text.includes(word)) && ["", each.kind].includes(kind.value));
    count += !each.row.hidden;
  }
  at("found").textContent = `${count} of ${rows.length}${count ? "" : ". Enter looks for names that are close."}`;
}

if (!location.search) at("search").addEventListener("input", search);
