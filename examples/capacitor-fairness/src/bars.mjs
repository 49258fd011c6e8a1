// Shows how often each worker has held the lock so far: live bars on a terminal, nothing elsewhere.
import cliProgress from 'cli-progress';
import { stdout } from 'node:process';

const BAR_WIDTH = 40;

/**
 * @param {string} title
 * @param {number} workers
 * @param {boolean} live
 */
export function startBars(title, workers, live) {
  if (!live || !stdout.isTTY) return { show: () => undefined, stop: () => undefined };
  const format = '{title} {bar} {value}';
  const options = { format, stream: stdout, hideCursor: true, clearOnComplete: true, barsize: BAR_WIDTH };
  const all = new cliProgress.MultiBar(options, cliProgress.Presets.shades_classic);
  const bars = Array.from({ length: workers }, (_, index) =>
    all.create(1, 0, { title: `${title} ${index + 1}`.padStart(14) }),
  );
  const stop = () => all.stop();
  process.once('exit', stop); // Shows the cursor again, however the program ends.
  return {
    /** @param {Float64Array} counts */
    show: (counts) => {
      const most = Math.max(1, ...counts.subarray(0, workers));
      for (const [index, bar] of bars.entries()) {
        bar.setTotal(most);
        bar.update(counts[index] ?? 0);
      }
    },
    stop: () => {
      process.off('exit', stop);
      stop();
    },
  };
}
