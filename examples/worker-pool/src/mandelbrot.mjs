// Computes a tile, on any thread.

/** The centre of each picture, and how much of the plane its width covers. */
export const VIEWS = {
  whole: { real: -0.7, imaginary: 0, width: 3.6 },
  seahorses: { real: -0.7453, imaginary: 0.1127, width: 0.0075 },
  spiral: { real: -0.761574, imaginary: -0.0847596, width: 0.0015 },
};

/** Far out, so that bands of the same colour blend into one another. */
const ESCAPE = 256 ** 2;
const BYTES_PER_PIXEL = 4;
/** One cycle: from blue over white and gold to black. */
const PALETTE = /** @type {[number, number, number][]} */ ([
  [0, 7, 100],
  [32, 107, 203],
  [237, 255, 255],
  [255, 170, 0],
  [40, 2, 0],
]);
/** Colours change more slowly further in, where there is more detail. */
const COLOURS_PER_ROOT = 2;

/** @typedef {{ width: number, height: number, view: keyof typeof VIEWS, iterations: number }} Picture */
/** @typedef {{ index: number, left: number, top: number, width: number, height: number }} Tile */

/**
 * @param {{ width: number, height: number, tile: number }} options
 * @returns {Tile[]}
 */
export function tilesOf({ width, height, tile }) {
  const columns = Math.ceil(width / tile);
  return Array.from({ length: columns * Math.ceil(height / tile) }, (_, index) => {
    const [left, top] = [tile * (index % columns), tile * Math.floor(index / columns)];
    return { index, left, top, width: Math.min(tile, width - left), height: Math.min(tile, height - top) };
  });
}

/**
 * Red, green, blue and opacity of each pixel of the tile.
 * @param {Picture} picture
 * @param {Tile} tile
 */
export function compute({ width, height, view, iterations }, tile) {
  const { real, imaginary, width: span } = VIEWS[view];
  const step = span / width;
  const pixels = new Uint8Array(tile.width * tile.height * BYTES_PER_PIXEL);
  let at = 0;
  for (let y = tile.top; y < tile.top + tile.height; y++) {
    for (let x = tile.left; x < tile.left + tile.width; x++) {
      const steps = stepsOf(real + step * (x + 0.5 - width / 2), imaginary - step * (y + 0.5 - height / 2), iterations);
      setColour(pixels, at, steps);
      at += BYTES_PER_PIXEL;
    }
  }
  return pixels;
}

/**
 * The number of steps until the point escapes, with a fraction; -1 if it stays inside.
 * @param {number} real
 * @param {number} imaginary
 * @param {number} iterations
 */
function stepsOf(real, imaginary, iterations) {
  let [a, b] = [0, 0];
  for (let step = 0; step < iterations; step++) {
    const [aa, bb] = [a * a, b * b];
    if (aa + bb > ESCAPE) return step + 1 - Math.log2(Math.log(aa + bb) / Math.log(ESCAPE));
    b = 2 * a * b + imaginary;
    a = aa - bb + real;
  }
  return -1;
}

/**
 * @param {Uint8Array} pixels
 * @param {number} at
 * @param {number} steps
 */
function setColour(pixels, at, steps) {
  pixels[at + 3] = 255;
  if (steps < 0) return;
  const place = (COLOURS_PER_ROOT * Math.sqrt(steps)) % PALETTE.length;
  const [index, share] = [Math.floor(place), place % 1];
  const from = PALETTE[index] ?? [0, 0, 0];
  const to = PALETTE[(index + 1) % PALETTE.length] ?? from;
  for (const part of /** @type {const} */ ([0, 1, 2])) {
    pixels[at + part] = Math.round(from[part] + share * (to[part] - from[part]));
  }
}
