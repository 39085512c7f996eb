// One run as it goes: state, progress, output, what it reached, result, what it cost.
//
// Owns the view of a run, here and in the playground. Must not know how a run is asked for.

import { offered } from "./denials.js";
import { duration, make, size } from "./dom.js";
import { follow } from "./events.js";
import { shown as problemShown } from "./problem.js";
import { Reports } from "./reports.js";
import { shown } from "./values.js";

export class RunView {
  /**
   * @param {HTMLElement} place @param {(problem: any) => void} [failed] is told what went wrong
   * @param {(grant: object) => void} [add] puts a grant that was missing into a form for the next run
   */
  constructor(place, failed = () => {}, add = null) {
    this.place = place;
    this.failed = failed;
    this.add = add;
    this.stop = () => {};
  }

  /** Show nothing but an empty view. */
  clear() {
    this.stop();
    this.id = null;
    this.denials = [];
    this.state = make("p", { class: "state", role: "status" });
    this.error = make("div", { role: "alert" });
    this.result = make("section", { class: "result", "aria-label": "Result", hidden: true });
    this.reports = new Reports();
    this.output = make("pre", { class: "output", tabindex: "0", "aria-label": "Output" });
    this.printing = make("div", { hidden: true }, make("h2", {}, "Output"), this.output);
    this.gates = make("ol", { class: "gates plain", "aria-label": "What it reached", hidden: true });
    this.facts = make("div");
    const parts = [this.state, this.error, this.reports.element, this.result, this.printing, this.gates, this.facts];
    this.place.replaceChildren(...parts);
  }

  /** Lead to it where it stands below what was asked. */
  reveal() {
    if (matchMedia("(max-width: 62rem)").matches) this.place.scrollIntoView();
  }

  /** Follow a run from its first event. @param {string} id @returns {Promise<void>} until it is over */
  follow(id) {
    this.clear();
    this.id = id;
    return new Promise((resolve) => {
      const listener = (kind, data) => {
        this[EVENTS[kind]](data);
        if (kind === "result") resolve();
      };
      this.stop = follow(id, listener, (problem) => {
        this.fail(problem.document ?? { detail: problem.message });
        resolve();
      });
    });
  }

  /** Say how it stands. @param {string} status @param {...(Node|string)} more */
  said(status, ...more) {
    this.state.replaceChildren(make("span", { class: `status ${status}` }, status.replace("_", " ")), ...more);
  }

  changed({ status, place, note, reason, error }) {
    const live = status === "queued" || status === "running";
    const address = `/console/runs/${this.id}`;
    const link = location.pathname === address ? null : make("a", { href: address }, make("code", {}, this.id));
    const more = [place && `place ${place}`, note, reason !== error?.code && reason].filter(Boolean).join(", ");
    this.said(status, ` ${more} `, link ?? "");
    this.reports.go(live);
  }

  printed({ stream, text, cut }) {
    this.printing.hidden = false;
    const low = this.output.scrollTop + this.output.clientHeight >= this.output.scrollHeight - 4;
    this.output.append(stream === "stderr" ? make("span", { class: "stderr" }, text) : text);
    if (cut) this.output.append(make("span", { class: "stderr" }, "\n… the rest is over the limit of output\n"));
    if (low) this.output.scrollTop = this.output.scrollHeight;
  }

  reported(event) {
    this.reports.add(event);
  }

  reached({ gate, method, url, operation, path, asked, status, denied, grant, by, ms }) {
    if (grant) this.denials.push({ grant, by });
    const words = [gate, method ?? operation, url ?? path ?? asked, status, ms === undefined ? null : duration(ms)];
    const line = make("code", {}, words.filter((each) => each !== null && each !== undefined).join(" "));
    this.gates.hidden = false;
    this.gates.append(make("li", {}, line, denied ? make("strong", { class: "denied" }, ` ${denied === "permission_denied" ? "denied" : "failed"}: ${denied}`) : null));
  }

  ended(run) {
    this.changed(run);
    if (this.printing.hidden && run.stdout + run.stderr) this.printed({ text: run.stdout + run.stderr, cut: run.output_cut });
    if (run.error) this.fail(run.error);
    const denied = run.error?.code === "permission_denied";
    if (this.denials.length) this.offer(denied ? this.error.firstChild : this.facts);
    else if (run.status === "succeeded") this.show(run.result);
    const files = Object.keys(run.files);
    if (files.length) this.facts.append(make("h2", {}, "Files that it changed"), shown(run.files));
    this.facts.append(cost(run.usage));
  }

  /** Show what to do about what was denied. @param {HTMLElement} where */
  offer(where) {
    where.append(offered(this.denials, this.id, this.place.dataset, this.add));
  }

  /** Show a value as the result. @param {any} value */
  show(value) {
    this.result.hidden = false;
    this.result.replaceChildren(make("h2", {}, "Result"), shown(value));
  }

  /** Show an error. @param {Record<string, any>} problem @param {string} [status] of what is no run */
  fail(problem, status = "failed") {
    if (!this.id) this.said(status);
    this.error.replaceChildren(problemShown(problem));
    this.failed(problem);
  }
}

const EVENTS = { status: "changed", output: "printed", progress: "reported", gate: "reached", result: "ended" };

/** What a run, or a dispatch, cost. @param {Record<string, number>} usage @returns {Node} */
export function cost(usage) {
  const rows = {
    Took: duration(usage.wall_ms),
    Processor: usage.cpu_ms && duration(usage.cpu_ms),
    Device: usage.device_ms && duration(usage.device_ms),
    "Most memory": usage.peak_bytes && size(usage.peak_bytes),
    Dispatches: usage.dispatches && usage.dispatches.toLocaleString("en"),
    Threads: usage.threads && usage.threads.toLocaleString("en"),
  };
  const parts = Object.entries(rows).filter(([, value]) => value);
  return make("dl", { class: "usage" }, ...parts.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
}
