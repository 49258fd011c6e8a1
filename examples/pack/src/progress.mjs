// Progress: a bar on a terminal, a line from time to time elsewhere.
import cliProgress from 'cli-progress';
import { stdout } from 'node:process';

const LINE_EVERY_MS = 1000;
const TITLE_WIDTH = 15;
const BYTES_PER_MB = 1e6;

/**
 * @param {string} title
 * @param {number} total bytes
 */
export function startProgress(title, total) {
  return stdout.isTTY ? startBar(title, total) : startLines(title, total);
}

/**
 * @param {string} title
 * @param {number} total
 */
function startBar(title, total) {
  const format = `${title.padEnd(TITLE_WIDTH)} {bar} {value}/{total} MB`;
  const options = { format, stream: stdout, hideCursor: true, clearOnComplete: true };
  const bar = new cliProgress.SingleBar(options, cliProgress.Presets.shades_classic);
  const stop = () => bar.stop();
  bar.start(megabytes(total), 0);
  process.once('exit', stop); // Shows the cursor again, however the program ends.
  return {
    /** @param {number} bytes */
    update: (bytes) => bar.update(megabytes(bytes)),
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
    /** @param {number} bytes */
    update: (bytes) => {
      if (performance.now() - last < LINE_EVERY_MS) return;
      last = performance.now();
      console.log(`${title}: ${megabytes(bytes)} of ${megabytes(total)} MB`);
    },
    stop: () => undefined,
  };
}

/** @param {number} bytes */
function megabytes(bytes) {
  return Math.round(bytes / BYTES_PER_MB);
}
