// Parts of a page that are kept as they are: the page is asked for again, and what differs takes the place of what was.
//
// Owns the parts marked `data-live`, each with an id, and when one marked `data-every` (seconds) is asked for again.

import { at } from "./dom.js";
import { localise } from "./times.js";

/** Ask for the page again. Returns whether it came. @returns {Promise<boolean>} */
export async function refresh() {
  const answer = await fetch(location.href).catch(() => null);
  if (answer?.redirected) location.reload();
  if (!answer?.ok) return false;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  localise(page);
  for (const part of document.querySelectorAll("[data-live]")) renew(part, page.getElementById(part.id));
  return true;
}

function renew(part, fresh) {
  if (!fresh || part.isEqualNode(fresh)) return;
  const focus = part.contains(document.activeElement) ? document.activeElement : null;
  part.replaceChildren(...fresh.childNodes);
  if (focus) [...part.querySelectorAll(focus.tagName)].find((each) => each.isEqualNode(focus))?.focus();
}

async function keep(seconds) {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    if (document.hidden) continue;
    const came = await refresh();
    at("note").textContent = came ? "" : "The server does not answer. What you see may be old.";
  }
}

const { every } = document.querySelector("[data-every]")?.dataset ?? {};
if (every) {
  document.querySelector("h1").after(Object.assign(document.createElement("p"), { id: "note", className: "faint", role: "status" }));
  keep(Number(every));
}
