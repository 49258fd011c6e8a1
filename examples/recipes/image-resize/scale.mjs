/** @typedef {{ width: number, height: number }} Size */

/**
 * Computes the rows from `begin` to `end` of a scaled picture: each pixel is the mean of those that it covers.
 * @param {{ source: Uint8Array, from: Size, result: Uint8Array, to: Size, begin: number, end: number }} job
 */
export function scaleRows({ source, from, result, to, begin, end }) {
  for (let y = begin; y < end; y++) {
    const [top, bottom] = covered(y, to.height, from.height);
    for (let x = 0; x < to.width; x++) {
      const [left, right] = covered(x, to.width, from.width);
      for (let channel = 0; channel < 4; channel++) {
        let sum = 0;
        for (let row = top; row < bottom; row++) {
          for (let column = left; column < right; column++)
            sum += source[(row * from.width + column) * 4 + channel] ?? 0;
        }
        result[(y * to.width + x) * 4 + channel] = Math.round(sum / ((bottom - top) * (right - left)));
      }
    }
  }
}

/**
 * @param {number} at
 * @param {number} to
 * @param {number} from
 * @returns {[first: number, end: number]}
 */
function covered(at, to, from) {
  const first = Math.floor((at * from) / to);
  return [first, Math.max(first + 1, Math.floor(((at + 1) * from) / to))];
}
