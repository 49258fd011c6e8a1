// The progress of the dinner: the table on a terminal, a line from time to time elsewhere.
import cliProgress from 'cli-progress';
import { stdout } from 'node:process';
import { THINKS } from './rule.mjs';

const LINE_EVERY_MS = 1000;
const TITLE_WIDTH = 15;
const BAR_WIDTH = 24;

/**
 * @param {string} title
 * @param {number} total meals
 * @param {boolean} live
 */
export function startView(title, total, live) {
  return live && stdout.isTTY ? startTable(title, total) : startLines(title, total);
}

/**
 * `. 1 3 2 .`: thinking, eating and waiting philosophers, in the order in which they sit.
 * @param {number[]} statuses
 */
export function drawTable(statuses) {
  return statuses.map((status) => (status === THINKS ? '.' : status > 9 ? '+' : `${status}`)).join(' ');
}

/**
 * @param {string} title
 * @param {number} total
 */
function startTable(title, total) {
  const format = `${title.padEnd(TITLE_WIDTH)} {bar} {value}/{total} meals   {table}`;
  const options = { format, stream: stdout, hideCursor: true, clearOnComplete: true, barsize: BAR_WIDTH };
  const bar = new cliProgress.SingleBar(options, cliProgress.Presets.shades_classic);
  const stop = () => bar.stop();
  bar.start(total, 0, { table: '' });
  process.once('exit', stop); // Shows the cursor again, however the program ends.
  return {
    /**
     * @param {number} eaten
     * @param {number[]} statuses
     */
    look: (eaten, statuses) => bar.update(eaten, { table: drawTable(statuses) }),
    stop: () => {
      process.off('exit', stop);
      stop();
    },
  };
}

/**
 * @param {string} title
 * @param {number} total
 */
function startLines(title, total) {
  let last = performance.now();
  return {
    /**
     * @param {number} eaten
     * @param {number[]} statuses
     */
    look: (eaten, statuses) => {
      if (performance.now() - last < LINE_EVERY_MS) return;
      last = performance.now();
      console.log(`${title}: ${eaten} of ${total} meals, ${drawTable(statuses)}`);
    },
    stop: () => undefined,
  };
}
