// The Game of Life on several workers: see README.md.
import process, { argv } from 'node:process';
import { HELP, readOptions, UsageError } from './options.mjs';
import { run } from './run.mjs';

try {
  const options = readOptions(argv.slice(2));
  if (options.help) console.log(HELP);
  else process.exitCode = (await run(options)) ? 0 : 1;
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\nTry --help.`);
  process.exitCode = 2;
}
