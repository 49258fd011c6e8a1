// Progress: a bar on a terminal, a line from time to time elsewhere.
import cliProgress from 'cli-progress';
import { stdout } from 'node:process';

const LINE_EVERY_MS = 1000;
const TITLE_WIDTH = 15;

/**
 * @param {string} title
 * @param {number} total
 */
export function startProgress(title, total) {
  return stdout.isTTY ? startBar(title, total) : startLines(title, total);
}

/**
 * @param {string} title
 * @param {number} total
 */
function startBar(title, total) {
  const format = `${title.padEnd(TITLE_WIDTH)} {bar} {value}/{total} files`;
  const options = { format, stream: stdout, hideCursor: true, clearOnComplete: true };
  const bar = new cliProgress.SingleBar(options, cliProgress.Presets.shades_classic);
  const stop = () => bar.stop();
  bar.start(total, 0);
  process.once('exit', stop); // Shows the cursor again, however the program ends.
  return {
    /** @param {number} files */
    update: (files) => bar.update(files),
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
    /** @param {number} files */
    update: (files) => {
      if (performance.now() - last < LINE_EVERY_MS) return;
      last = performance.now();
      console.log(`${title}: ${files} of ${total} files`);
    },
    stop: () => undefined,
  };
}
