#!/usr/bin/env node
// @ts-check
// Repeats every fault of two tables on real servers and processes: of the table of all engines in
// docs/site/threads-processes-machines.md, and of the one in packages/redis/README.md. Prints the observations beside
// the promises. The last line says whether every row was seen; the exit code is 1 if not, or if a test failed.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process, { argv, env, execPath, stdout } from 'node:process';
import { root } from './workspace.mjs';

const WIDTH = 78;
const TESTS = ['fault-table', 'packages/redis/test/faults', 'packages/redis/test/lease', 'packages/redis/test/refused'];
/** The engines in the order of the columns, as the tests name them. */
const ENGINES = ['local', 'redis', 'postgres'];
const file = join(root, '.cache', 'faults.jsonl');

/** The rows of the README's table of faults. @returns {[fault: string, promise: string][]} */
function promised() {
  const readme = readFileSync(join(root, 'packages/redis/README.md'), 'utf8');
  const section = readme.split('\n## ').find((part) => part.startsWith('Faults\n')) ?? '';
  const rows = [...section.matchAll(/^\| (.+?) \| (.+) \|$/gm)].map(
    ([, fault = '', promise = '']) => /** @type {[string, string]} */ ([fault, promise]),
  );
  return rows.slice(2);
}

/** The rows of the table of all engines, with a promise for each. @returns {[fault: string, promises: string[]][]} */
function promisedByAll() {
  const page = readFileSync(join(root, 'docs/site/threads-processes-machines.md'), 'utf8');
  const section = page.split('\n## ').find((part) => part.startsWith('Faults\n')) ?? '';
  const rows = [...section.matchAll(/^\| (.+) \|$/gm)].map(([, cells = '']) => cells.split(' | '));
  return rows.slice(2).map(([fault = '', ...promises]) => [fault, promises]);
}

/**
 * Returns the observations of the tests for each fault, and for each engine and fault.
 * @returns {Map<string, string[]>}
 */
function seen() {
  /** @type {Map<string, string[]>} */
  const found = new Map();
  if (!existsSync(file)) return found;
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const [fault, what, goal, engine] =
      /** @type {[string, string, { text: string, isMet: boolean } | null | undefined, string | undefined]} */ (
        JSON.parse(line)
      );
    const verdict = goal === undefined || goal === null ? '' : ` (${goal.text}: ${goal.isMet ? 'met' : 'MISSED'})`;
    const key = engine === undefined ? fault : `${engine}: ${fault}`;
    found.set(key, [...(found.get(key) ?? []), what + verdict]);
  }
  return found;
}

/** @param {string} label @param {string} text */
function paragraph(label, text) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && label.length + last.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines.map((line, i) => `${i === 0 ? label : ' '.repeat(label.length)}${line}\n`).join('');
}

mkdirSync(join(root, '.cache'), { recursive: true });
rmSync(file, { force: true });
const tests = argv.length > 2 ? argv.slice(2) : TESTS;
const child = spawn(
  execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--project',
    'stress',
    '--project',
    'stress-waiting',
    '--project',
    'unit',
    ...tests,
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...env, SLUICE_FAULTS: file, SLUICE_DEPTH: 'full' },
  },
);
const code = await new Promise((resolve) => child.on('close', resolve));

const found = seen();
const rows = promised();
/** What must have been seen. @type {Set<string>} */
const wanted = new Set();

/** @param {string} key @param {string} promise */
function print(key, promise) {
  wanted.add(key);
  stdout.write(paragraph('  promised  ', promise));
  for (const what of found.get(key) ?? ['NOT SEEN']) stdout.write(paragraph('  seen      ', what));
}

for (const [fault, promises] of promisedByAll()) {
  for (const [i, engine] of ENGINES.entries()) {
    // An engine without a network has no partition.
    if (promises[i] === undefined || promises[i] === '-') continue;
    stdout.write(`\n${fault}, ${engine}\n`);
    print(`${engine}: ${fault}`, promises[i]);
  }
}
for (const [fault, promise] of rows) {
  stdout.write(`\n${fault}\n`);
  print(fault, promise);
}
const strangers = [...found.keys()].filter((fault) => !wanted.has(fault));
for (const fault of strangers) stdout.write(`\n${fault}\n  in no table\n`);
const missing = [...wanted].filter((fault) => !found.has(fault)).length + strangers.length;
const right = code === 0 && missing === 0;
stdout.write(`\n${wanted.size} faults, ${missing} not seen: ${right ? 'ok' : 'WRONG'}\n`);
process.exitCode = right ? 0 : 1;
