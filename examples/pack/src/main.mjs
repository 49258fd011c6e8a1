// Compresses and hashes every file below a directory on a pool of workers: see README.md.
import { constants } from 'node:os';
import process, { argv, exit, stderr, stdout } from 'node:process';
import { HELP, readOptions, UsageError } from './options.mjs';
import { run } from './run.mjs';

const interrupt = new AbortController();
let interruptedCode = 0;

for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.on(name, () => {
    interruptedCode = 128 + constants.signals[name];
    // The first signal ends the workers and prints what they have done. A second signal ends the program at once.
    if (interrupt.signal.aborted) exit(interruptedCode);
    interrupt.abort();
  });
}

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
