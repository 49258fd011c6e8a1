// @ts-check
// Prints its arguments, and ends with the code that the first one says.
import process, { argv } from 'node:process';

console.log(argv.slice(2).join(' '));
process.exitCode = Number(argv[2]);
