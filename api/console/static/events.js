// The events of a run as they come, from the first. Owns the stream; must not know how anything looks.

import { ask, parse } from "./rest.js";

const KINDS = ["status", "output", "progress", "gate", "result"];

/**
 * Call `listener(kind, data)` for each event until the last, `result`. The browser connects again by itself and
 * goes on behind the last event that it has; where it may not, the run is asked for from time to time.
 * @param {string} id @param {(kind: string, data: any) => void} listener
 * @param {(error: Error) => void} lost @returns {() => void} stops
 */
export function follow(id, listener, lost) {
  const stream = new EventSource(`/api/runs/${id}/events`);
  let timer;
  for (const kind of KINDS) {
    stream.addEventListener(kind, (event) => {
      const data = parse(event.data);
      if (kind === "result") stream.close();
      listener(kind, data);
    });
  }
  stream.onerror = () => {
    if (stream.readyState === EventSource.CLOSED) poll();
  };
  const poll = async () => {
    try {
      const run = await ask("GET", `/api/runs/${id}`);
      const live = run.status === "queued" || run.status === "running";
      listener(live ? "status" : "result", run);
      if (live) timer = setTimeout(poll, 1000);
    } catch (error) {
      lost(error);
    }
  };
  return () => {
    stream.close();
    clearTimeout(timer);
  };
}
