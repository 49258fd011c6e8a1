// The whole picture. Tiles are painted into it in any order.
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { PNG } from 'pngjs';
import { UsageError } from './options.mjs';

export class Picture {
  #png;

  /** @param {{ width: number, height: number }} size */
  constructor({ width, height }) {
    this.#png = new PNG({ width, height });
  }

  /**
   * @param {import('./mandelbrot.mjs').Tile} tile
   * @param {Uint8Array} pixels
   */
  paint({ left, top, width, height }, pixels) {
    const { data, width: whole } = this.#png;
    for (let row = 0; row < height; row++) {
      data.set(pixels.subarray(4 * width * row, 4 * width * (row + 1)), 4 * (whole * (top + row) + left));
    }
  }

  /** The checksum of the pixels, independent of how a file packs them. */
  get checksum() {
    return createHash('sha256').update(this.#png.data).digest('hex');
  }

  /** @param {string} path */
  write(path) {
    writeFileSync(path, PNG.sync.write(this.#png));
  }
}

/**
 * Checks before the work, not after it, that the file can be written. Throws `UsageError`.
 * @param {string} path
 */
export function checkWritable(path) {
  try {
    mkdirSync(dirname(path), { recursive: true });
    closeSync(openSync(path, 'a'));
  } catch (error) {
    throw new UsageError(`${path} cannot be written: ${/** @type {NodeJS.ErrnoException} */ (error).code}`);
  }
}
