#!/usr/bin/env node
// @ts-check
// Runs files of web-platform-tests, and fails when a subtest fails that has no reason to. `--help` shows the options.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process, { argv, stderr, stdout } from 'node:process';
import { findFiles, parseFile } from './files.mjs';
import { whyNotRun } from './known.mjs';
import { HELP, readOptions } from './options.mjs';
import { failuresOf, fileLine, totalLine } from './report.mjs';
import { runIn } from './run.mjs';

/** @import { Options } from './options.mjs' */
/** @import { Result } from './run.mjs' */

/** @param {readonly string[]} lines */
const say = (...lines) => void stdout.write(lines.map((line) => `${line}\n`).join(''));

/** @param {Options} options @returns {Promise<number>} the exit status */
async function run(options) {
  const { from, names } = options;
  const files = findFiles(from).filter((name) => names.length === 0 || names.some((part) => name.includes(part)));
  if (files.length === 0) throw new RangeError(`${from} has no such test file.`);
  /** @type {Result[]} */
  const results = [];
  for (const name of files) {
    const why = whyNotRun(name);
    if (why !== undefined) {
      say(`${name.padEnd(44)} not run: ${why}`);
      continue;
    }
    const { scopes } = parseFile(name, readFileSync(join(from, name), 'utf8'));
    /** @type {Result[]} */
    const ofFile = [];
    for (const scope of scopes) ofFile.push(await runIn(name, scope, options));
    say(fileLine(name, ofFile));
    results.push(...ofFile);
  }
  const failures = results.map(failuresOf);
  say('', ...failures.flatMap(({ known }) => known), ...failures.flatMap(({ unknown }) => unknown), totalLine(results));
  return failures.some(({ unknown }) => unknown.length > 0) ? 1 : 0;
}

try {
  const options = readOptions(argv.slice(2));
  if (options.help) stdout.write(HELP);
  else process.exitCode = await run(options);
} catch (error) {
  stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
