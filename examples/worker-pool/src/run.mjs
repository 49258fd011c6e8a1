// The steps of a run: the picture on the pool, written to a file, and once more on one thread as a check.
import { renderAlone } from './alone.mjs';
import { tilesOf } from './mandelbrot.mjs';
import { checkWritable, Picture } from './picture.mjs';
import { withProgress } from './progress.mjs';
import * as report from './report.mjs';
import { renderTogether } from './together.mjs';

/**
 * Returns whether the picture is right, as far as the run came before `signal` ended it.
 * @param {import('./options.mjs').Options} options
 * @param {AbortSignal} signal
 */
export async function run(options, signal) {
  const tiles = tilesOf(options).length;
  checkWritable(options.out);
  report.header(options, tiles);
  const picture = new Picture(options);
  /** @type {import('./together.mjs').Together} */
  const together = await withProgress(tiles, (onProgress) =>
    renderTogether(options, (tile, pixels) => picture.paint(tile, pixels), signal, onProgress),
  );
  report.pool(together);
  const { checksum } = picture;
  picture.write(options.out);
  report.picture(options.out, checksum);
  if (signal.aborted) {
    report.interrupted('this is the picture so far');
    return true;
  }
  return options.verify ? verify(options, checksum, together.seconds, signal) : true;
}

/**
 * @param {import('./options.mjs').Options} options
 * @param {string} checksum
 * @param {number} seconds
 * @param {AbortSignal} signal
 */
async function verify(options, checksum, seconds, signal) {
  const picture = new Picture(options);
  /** @type {{ seconds: number }} */
  const alone = await withProgress(tilesOf(options).length, (onProgress) =>
    renderAlone(options, (tile, pixels) => picture.paint(tile, pixels), signal, onProgress),
  );
  if (signal.aborted) {
    report.interrupted('not checked against one thread');
    return true;
  }
  const same = picture.checksum === checksum;
  report.speed(seconds, alone.seconds);
  report.check(same);
  return same;
}
