// The same contended job at a bare lock and behind a capacitor: see README.md.
import { startView } from '@sluice/inspect/view';
import { constants } from 'node:os';
import process, { argv, stderr, stdout } from 'node:process';
import { HELP, readOptions, UsageError } from './options.mjs';
import { report, summary } from './report.mjs';
import { run } from './run.mjs';

const interrupt = new AbortController();
let interruptedCode = 0;
for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.on(name, () => {
    interruptedCode = 128 + constants.signals[name];
    interrupt.abort();
  });
}
// `| head` closes the pipe: a reader that stops early is no error.
stdout.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

try {
  const options = readOptions(argv.slice(2));
  if (options.help) stdout.write(HELP);
  else process.exitCode = await main(options);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  stderr.write(`${error.message}\nTry --help.\n`);
  process.exitCode = 2;
}

/** @param {import('./options.mjs').Options} options */
async function main(options) {
  stdout.write(`${options.workers} workers, ${options.seconds} s each way, inner lock: ${options.lock}\n`);
  if (options.view) stderr.write(`live view: ${startView().url}\n`);
  /** @type {import('./run.mjs').Outcome[]} */
  const outcomes = [];
  for (const wrapping of options.ways) {
    if (interrupt.signal.aborted) break;
    const outcome = await run({ ...options, wrapping, signal: interrupt.signal });
    stdout.write(report(outcome));
    outcomes.push(outcome);
  }
  stdout.write(summary(outcomes));
  return outcomes.every(({ exact }) => exact) ? interruptedCode : 1;
}
