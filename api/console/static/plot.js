// A plot of numbers against their turn: axes, a line, and the value below the pointer or the arrow keys.
//
// Owns how numbers become a picture. Must not know where they come from.

import { draw, make, number } from "./dom.js";

const HEIGHT = 200;
const BOX = { left: 62, right: 12, top: 12, bottom: 28 };

/** Points that are drawn one by one; of more, the least and the most of each stretch. */
const MOST = 1000;

/** A round number, of which `count` or fewer make up `length`. */
function step(length, count) {
  const rough = length / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].find((each) => each * power >= rough * 0.999) * power;
}

/** The multiples of `by` from `low` to `high`. @returns {number[]} */
function ticks(low, high, by) {
  const found = [];
  for (let turn = Math.ceil(low / by - 1e-9); turn * by <= high + by * 1e-9; turn += 1) found.push(turn * by);
  return found;
}

/** The least and the most of the finite ones. */
function extent(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low > high ? [0, 0] : [low, high];
}

/** Round numbers around them, with room between, and the step from one to the next. */
function rounded([low, high]) {
  const room = low === high ? Math.abs(low) / 2 || 1 : 0;
  const by = step(high - low + 2 * room, 4);
  return [Math.floor((low - room) / by) * by, Math.ceil((high + room) / by) * by, by];
}

export class Plot {
  /** @param {string} name of what is plotted */
  constructor(name) {
    this.name = name;
    this.turns = [];
    this.values = [];
    this.cursor = null;
    this.picture = draw("svg", {
      role: "img",
      tabindex: "0",
      pointermove: (event) => this.point(this.nearest(event)),
      pointerleave: () => this.point(null),
      blur: () => this.point(null),
      keydown: (event) => this.pressed(event),
    });
    this.reading = make("output", { class: "reading" });
    new ResizeObserver(() => this.redraw()).observe(this.picture);
    this.element = make("figure", { class: "plot" }, make("figcaption", {}, make("span", {}, name), this.reading), this.picture);
  }

  /** Add a value, which is drawn before the next frame. @param {number} turn more than the one before @param {number} value */
  add(turn, value) {
    this.turns.push(turn);
    this.values.push(value);
    this.waiting ??= requestAnimationFrame(() => this.redraw());
  }

  redraw() {
    this.waiting = undefined;
    this.width = this.picture.clientWidth;
    if (!this.width || !this.values.length) return;
    [this.low, this.high, this.by] = rounded(extent(this.values));
    [this.begin, this.end] = [this.turns[0], Math.max(this.turns.at(-1), this.turns[0] + 1)];
    const turns = ticks(this.begin, this.end, Math.max(1, step(this.end - this.begin, this.width / 70)));
    this.picture.replaceChildren(
      ...ticks(this.low, this.high, this.by).map((value) => this.level(value)),
      ...turns.map((turn) => draw("text", { x: this.x(turn), y: HEIGHT - 8, "text-anchor": "middle" }, number(turn))),
      draw("path", { class: "curve", d: this.curve() }),
      ...this.mark(this.values.length - 1, "last"),
    );
    this.picture.setAttribute("aria-label", `${this.name}: ${this.values.length} values from ${number(this.low)} to ${number(this.high)}`);
    this.point(this.cursor);
  }

  level(value) {
    const y = this.y(value);
    return draw(
      "g",
      {},
      draw("line", { class: "grid", x1: BOX.left, x2: this.width - BOX.right, y1: y, y2: y }),
      draw("text", { x: BOX.left - 8, y: y + 4, "text-anchor": "end" }, number(value)),
    );
  }

  x(turn) {
    return BOX.left + ((this.width - BOX.left - BOX.right) * (turn - this.begin)) / (this.end - this.begin);
  }

  y(value) {
    return BOX.top + ((HEIGHT - BOX.top - BOX.bottom) * (this.high - value)) / (this.high - this.low);
  }

  /** The line, in pixels, broken where a value is not finite; a lone point is a dot, as the ends of lines are round. */
  curve() {
    const stretch = Math.ceil(this.values.length / MOST);
    let path = "";
    let broken = true;
    for (let begin = 0; begin < this.values.length; begin += stretch) {
      const part = this.values.slice(begin, begin + stretch);
      for (const value of stretch === 1 ? part : extent(part)) {
        const place = `${this.x(this.turns[begin]).toFixed(1)} ${this.y(value).toFixed(1)}`;
        if (Number.isFinite(value)) path += broken ? `M${place}L${place}` : `L${place}`;
        broken = !Number.isFinite(value);
      }
    }
    return path;
  }

  /** The index of the point next to the pointer. */
  nearest(event) {
    const box = this.picture.getBoundingClientRect();
    const share = (event.clientX - box.left - BOX.left) / (this.width - BOX.left - BOX.right);
    const turn = this.begin + share * (this.end - this.begin);
    const behind = this.turns.findIndex((each) => each >= turn);
    if (behind <= 0) return behind ? this.turns.length - 1 : 0;
    return turn - this.turns[behind - 1] < this.turns[behind] - turn ? behind - 1 : behind;
  }

  pressed(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    this.point((this.cursor ?? this.values.length) + step);
  }

  /** Read out the value at an index, or the last one. */
  point(index) {
    this.picture.querySelector(".cursor")?.remove();
    if (!this.values.length) return;
    const last = this.values.length - 1;
    this.cursor = index === null ? null : Math.min(last, Math.max(0, index));
    const [turn, value] = [this.turns[this.cursor ?? last], this.values[this.cursor ?? last]];
    this.reading.textContent = `${number(turn)}: ${number(value)}`;
    if (this.cursor === null || !this.width) return;
    const x = this.x(turn);
    const line = draw("line", { x1: x, x2: x, y1: BOX.top, y2: HEIGHT - BOX.bottom });
    this.picture.append(draw("g", { class: "cursor" }, line, ...this.mark(this.cursor, null)));
  }

  /** A dot at a value, if it is finite. */
  mark(index, name) {
    const value = this.values[index];
    return Number.isFinite(value) ? [draw("circle", { class: name, r: 3.5, cx: this.x(this.turns[index]), cy: this.y(value) })] : [];
  }
}
