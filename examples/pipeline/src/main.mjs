// An access log through a pipeline of threads: see README.md.
import { constants } from 'node:os';
import process, { argv, exit, stderr, stdout } from 'node:process';
import { HELP, readOptions, UsageError } from './options.mjs';
import { run } from './run.mjs';

// Under npm, one Ctrl-C arrives twice: from the terminal, and passed on by npm.
const BURST_MS = 300;
const interrupt = new AbortController();
let interruptedAt = 0;
let interruptedCode = 0;

for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.on(name, () => {
    if (interrupt.signal.aborted && performance.now() - interruptedAt > BURST_MS) exit(interruptedCode);
    if (interrupt.signal.aborted) return;
    interruptedAt = performance.now();
    interruptedCode = 128 + constants.signals[name];
    interrupt.abort();
  });
}
// `| head` closes the pipe: a reader that stops early is no error.
stdout.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
  if (error.code !== 'EPIPE') throw error;
  exit(0);
});

try {
  const options = readOptions(argv.slice(2));
  if (options.help) {
    stdout.write(HELP);
  } else {
    const ok = await run(options, interrupt.signal);
    process.exitCode = ok ? interruptedCode : 1;
  }
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  stderr.write(`${error.message}\nTry --help.\n`);
  process.exitCode = 2;
}
