// Progress: a bar on a terminal, a line from time to time elsewhere.
import cliProgress from 'cli-progress';
import { stdout } from 'node:process';

const LINE_EVERY_MS = 1000;

/**
 * Runs `work`, and shows its progress.
 * @template T
 * @param {number} total tiles
 * @param {(onProgress: (done: number, what: string) => void) => Promise<T>} work
 */
export async function withProgress(total, work) {
  const progress = stdout.isTTY ? startBar(total) : startLines(total);
  try {
    return await work(progress.update);
  } finally {
    progress.stop();
  }
}

/** @param {number} total */
function startBar(total) {
  const options = {
    format: '{bar} {value}/{total} tiles: {what}',
    stream: stdout,
    hideCursor: true,
    clearOnComplete: true,
  };
  const bar = new cliProgress.SingleBar(options, cliProgress.Presets.shades_classic);
  const stop = () => bar.stop();
  bar.start(total, 0, { what: '' });
  process.once('exit', stop); // Shows the cursor again, however the program ends.
  return {
    /**
     * @param {number} done
     * @param {string} what
     */
    update: (done, what) => bar.update(done, { what }),
    stop: () => {
      process.off('exit', stop);
      stop();
    },
  };
}

/** @param {number} total */
function startLines(total) {
  let last = performance.now();
  return {
    /**
     * @param {number} done
     * @param {string} what
     */
    update: (done, what) => {
      if (performance.now() - last < LINE_EVERY_MS) return;
      last = performance.now();
      console.log(`${done} of ${total} tiles: ${what}`);
    },
    stop: () => undefined,
  };
}
