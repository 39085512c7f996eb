// Moments as the reader's clock has them, with its zone; without scripts they are in UTC. The title keeps what was told.

const local = new Intl.DateTimeFormat("sv", {
  year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "short",
});

/** Write each moment of a page, or of a part, in local time. @param {ParentNode} page */
export function localise(page) {
  for (const moment of page.querySelectorAll("time[datetime]")) moment.textContent = local.format(new Date(moment.dateTime));
}

localise(document);
