// All printed output, except the progress.
import { inspect } from 'node:util';

const LABEL_WIDTH = 12;

/**
 * @param {string} label
 * @param {string} text
 */
const row = (label, text) => console.log(`${label.padEnd(LABEL_WIDTH)} ${text}`);

/**
 * @param {import('./options.mjs').Options} options
 * @param {number} tiles
 */
export function header({ width, height, view, iterations, tile, workers }, tiles) {
  row('picture', `${width} x ${height}, ${view}, ${iterations} iterations at most`);
  row('tiles', `${tiles} of ${tile} x ${tile}, on ${workers} workers`);
}

/** @param {import('./together.mjs').Together} pass */
export function pool({ tiles, stats, begun, killed }) {
  const again = begun.filter((times) => times > 1).length;
  row('done', `${stats.completed} of ${tiles} tiles, ${stats.failed} failed`);
  row('killed', `${killed} workers, ${stats.replaced} replaced; ${again} tiles begun again`);
  row('workers', `busy ${(100 * stats.utilization).toFixed(0)} % of the time`);
  const { p50, p99, max } = stats.runTime;
  row('a tile took', `${[p50, p99, max].map((ms) => `${ms.toFixed(1)} ms`).join(', ')} (median, 99 %, most)`);
}

/**
 * @param {string} path
 * @param {string} checksum
 */
export function picture(path, checksum) {
  row('written', inspect(path));
  row('checksum', checksum);
}

/**
 * @param {number} together seconds
 * @param {number} alone seconds
 */
export function speed(together, alone) {
  row('pool', `${together.toFixed(2)} s, the start of its workers included`);
  row('one thread', `${alone.toFixed(2)} s: ${(alone / together).toFixed(2)} times as fast together`);
}

/** @param {boolean} same */
export function check(same) {
  row('check', same ? 'the same picture as by one thread: ok' : 'ANOTHER PICTURE than by one thread');
}

/** @param {string} what */
export function interrupted(what) {
  row('interrupted', what);
}
