// Compresses and hashes every file below a directory on a pool of workers: see README.md.
import { constants } from 'node:os';
import process, { argv, stderr, stdout } from 'node:process';
import { HELP, readOptions, UsageError } from './options.mjs';
import { run } from './run.mjs';

const interrupt = new AbortController();
let interruptedCode = 0;

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM']);

/**
 * The first signal ends the workers and prints what they have done. A second signal ends the program at once.
 * @param {NodeJS.Signals} name
 */
function onSignal(name) {
  if (interrupt.signal.aborted) {
    // Not exit(), which would terminate the workers wherever they are.
    process.off(name, onSignal);
    process.kill(process.pid, name);
  }
  interruptedCode = 128 + constants.signals[name];
  interrupt.abort();
}

for (const name of SIGNALS) process.on(name, onSignal);

try {
  const options = readOptions(argv.slice(2));
  if (options.help) {
    stdout.write(HELP);
  } else {
    const ok = await run(options, interrupt.signal);
    process.exitCode = interruptedCode || (ok ? 0 : 1);
  }
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  stderr.write(`${error.message}\nTry --help.\n`);
  process.exitCode = 2;
}
