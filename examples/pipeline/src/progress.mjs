// Progress: a bar on a terminal, a line from time to time elsewhere.
import cliProgress from 'cli-progress';
import { stdout } from 'node:process';

const LINE_EVERY_MS = 1000;
const TITLE_WIDTH = 12;
const MB = 1e6;

/**
 * Runs `work`, and shows its progress.
 * @template T
 * @param {string} title
 * @param {number} total bytes
 * @param {(onProgress: (bytes: number) => void) => Promise<T>} work
 */
export async function withProgress(title, total, work) {
  const progress = stdout.isTTY ? startBar(title, total) : startLines(title, total);
  try {
    return await work(progress.update);
  } finally {
    progress.stop();
  }
}

/**
 * @param {string} title
 * @param {number} total
 */
function startBar(title, total) {
  const format = `${title.padEnd(TITLE_WIDTH)} {bar} {percentage} % of ${(total / MB).toFixed(0)} MB, {eta} s left`;
  const options = { format, stream: stdout, hideCursor: true, clearOnComplete: true };
  const bar = new cliProgress.SingleBar(options, cliProgress.Presets.shades_classic);
  const stop = () => bar.stop();
  bar.start(total, 0);
  process.once('exit', stop); // Shows the cursor again, however the program ends.
  return {
    /** @param {number} bytes */
    update: (bytes) => bar.update(bytes),
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
      console.log(`${title}: ${(bytes / MB).toFixed(0)} of ${(total / MB).toFixed(0)} MB`);
    },
    stop: () => undefined,
  };
}
