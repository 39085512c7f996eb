// What a script reports by progress(fraction, **values): a bar, a plot for each name of numbers, the last of all else.
//
// Owns these. Must not know runs.

import { make } from "./dom.js";
import { Plot } from "./plot.js";

export class Reports {
  constructor() {
    this.turns = 0;
    this.plots = new Map();
    this.words = new Map();
    this.bar = make("progress", { max: 1, "aria-label": "how far it is", hidden: true });
    this.said = make("dl");
    this.curves = make("div", { class: "curves" });
    this.element = make("section", { class: "reports", "aria-label": "Progress" }, this.bar, this.said, this.curves);
  }

  /** @param {{fraction: number|null, values?: Record<string, any>, kernel?: string}} event */
  add({ fraction, values = {}, kernel }) {
    if (fraction !== null) this.bar.value = fraction;
    if (kernel) return;
    for (const [name, value] of Object.entries(values)) {
      const plain = value?.$float ? Number(value.$float) : value;
      if (typeof plain === "number" || typeof plain === "bigint") this.plot(name).add(this.turns, Number(plain));
      else this.word(name).textContent = String(plain);
    }
    this.turns += 1;
  }

  plot(name) {
    if (!this.plots.has(name)) {
      this.plots.set(name, new Plot(name));
      this.curves.append(this.plots.get(name).element);
    }
    return this.plots.get(name);
  }

  word(name) {
    if (!this.words.has(name)) {
      this.words.set(name, make("dd"));
      this.said.append(make("dt", {}, name), this.words.get(name));
    }
    return this.words.get(name);
  }

  /** Whether there is more to come. @param {boolean} live */
  go(live) {
    this.bar.hidden = !live;
  }
}
