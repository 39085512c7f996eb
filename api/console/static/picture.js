// A tensor as a picture: 2-D in grays or colours, height × width × 3 or 4 as it is, several side by side.
//
// Owns how elements become pixels. Must not know where they come from.

import { make } from "./dom.js";

const SIDE = 4096;

/** How many pictures of a stack are shown. */
const STACK = 64;

/**
 * How a shape is a picture: rows, columns, channels and how many of them; null when it is none.
 * @param {number[]} shape @returns {{count: number, height: number, width: number, channels: number}|null}
 */
export function frame(shape) {
  const coloured = shape.length >= 3 && [3, 4].includes(shape.at(-1));
  const channels = coloured ? shape.at(-1) : 1;
  const [width, height, count = 1, ...more] = (coloured ? shape.slice(0, -1) : [...shape]).reverse();
  const fits = height >= 2 && width >= 2 && height <= SIDE && width <= SIDE && count >= 1 && !more.length;
  return fits ? { count: Math.min(count, STACK), height, width, channels } : null;
}

/** What a number from 0 to 1 looks like, by name. @type {Record<string, Uint8ClampedArray>} */
const SCALES = { grays: scale((share) => [share * 255, share * 255, share * 255]), colours: scale(perceived) };

function scale(colour) {
  const table = new Uint8ClampedArray(256 * 3);
  for (let level = 0; level < 256; level += 1) table.set(colour(level / 255), level * 3);
  return table;
}

/**
 * Lightness grows evenly while the hue turns from violet over green to yellow, in Oklab, where equal steps look equal
 * (B. Ottosson, "A perceptual color space for image processing", 2020).
 */
function perceived(share) {
  const lightness = 0.18 + 0.77 * share;
  const hue = ((300 - 195 * share) * Math.PI) / 180;
  const chroma = 0.06 + 0.4 * share * (1 - share) + 0.09 * share;
  const [a, b] = [chroma * Math.cos(hue), chroma * Math.sin(hue)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((linear) => 255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055));
}

/**
 * A canvas of `values`, whose least and most are the ends of the scale. Without a number a pixel is clear.
 * @param {ArrayLike<number>} values @param {number[]} shape @param {"grays"|"colours"} name
 * @returns {HTMLCanvasElement}
 */
export function picture(values, shape, name) {
  const { count, height, width, channels } = frame(shape);
  const columns = Math.ceil(Math.sqrt(count));
  const [low, high] = range(values, channels);
  const canvas = make("canvas", {
    width: columns * (width + 1) - 1,
    height: Math.ceil(count / columns) * (height + 1) - 1,
    role: "img",
    "aria-label": `a picture of ${shape.join(" × ")}, from ${low} to ${high}`,
  });
  const context = canvas.getContext("2d");
  for (let turn = 0; turn < count; turn += 1) {
    const image = context.createImageData(width, height);
    fill(image.data, values, turn * height * width * channels, channels, [low, high], SCALES[name]);
    context.putImageData(image, (turn % columns) * (width + 1), Math.floor(turn / columns) * (height + 1));
  }
  canvas.style.width = `min(100%, ${canvas.width * Math.max(1, Math.floor(400 / Math.max(canvas.width, canvas.height)))}px)`;
  return canvas;
}

/** The ends of the scale; coloured pictures are from 0 to 1, or to 255 where something is above 1. */
function range(values, channels) {
  let low = Infinity;
  let high = -Infinity;
  for (let index = 0; index < values.length; index += 1) {
    if (values[index] < low) low = values[index];
    if (values[index] > high && values[index] !== Infinity) high = values[index];
  }
  if (channels > 1) return [0, high > 1 ? 255 : 1];
  return [low, high];
}

function fill(pixels, values, begin, channels, [low, high], table) {
  const factor = high > low ? 255 / (high - low) : 0;
  for (let pixel = 0; pixel * 4 < pixels.length; pixel += 1) {
    const from = begin + pixel * channels;
    if (channels === 1) {
      const level = Math.round(Math.min(255, Math.max(0, (values[from] - low) * factor))) * 3;
      for (let part = 0; part < 3; part += 1) pixels[pixel * 4 + part] = table[level + part];
      pixels[pixel * 4 + 3] = Number.isNaN(values[from]) ? 0 : 255;
    } else {
      for (let part = 0; part < 4; part += 1) pixels[pixel * 4 + part] = part < channels ? (values[from + part] - low) * factor : 255;
    }
  }
}
