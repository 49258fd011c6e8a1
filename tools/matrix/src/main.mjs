#!/usr/bin/env node
// @ts-check
// Runs the cases on all runtimes and writes docs/matrix.md. With arguments, only parts, and writes nothing:
//   node24 bun     these runtimes
//   --case kills   the cases whose names begin so; `--case examples`: the first examples of the READMEs
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process, { argv, stderr, stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { root } from '../../../scripts/workspace.mjs';
import { buildPrograms } from './build.mjs';
import { runCell, runExample } from './cell.mjs';
import { columnsOf, PLATFORMS } from './columns.mjs';
import { ROWS } from './rows.mjs';
import { page } from './table.mjs';

const AT_ONCE = 2;
const EXAMPLES = 'examples';

/** @typedef {import('./columns.mjs').Column} Column */
/** @typedef {import('./rows.mjs').Row} Row */

/** @returns {{ keys: readonly string[], prefix: string }} */
function readArguments() {
  const { values, positionals } = parseArgs({
    args: argv.slice(2),
    options: { case: { type: 'string', default: '' } },
    allowPositionals: true,
  });
  const unknown = positionals.find((key) => !Object.hasOwn(PLATFORMS, key));
  if (unknown !== undefined)
    throw new Error(`There is no runtime '${unknown}'. The runtimes: ${Object.keys(PLATFORMS).join(', ')}.`);
  if (!values.case.startsWith(EXAMPLES) && !ROWS.some(({ id }) => id.startsWith(values.case))) {
    throw new Error(
      `There is no case '${values.case}'. The cases: ${[...ROWS.map(({ id }) => id), EXAMPLES].join(', ')}.`,
    );
  }
  return { keys: positionals.length > 0 ? positionals : Object.keys(PLATFORMS), prefix: values.case };
}

/**
 * @param {readonly string[]} keys
 * @returns {Promise<Column[]>}
 */
async function findColumns(keys) {
  /** @type {Column[]} */
  const columns = [];
  // One at a time: npm installs them into one cache.
  for (const key of keys) {
    const platform = PLATFORMS[key];
    const runtime = await platform?.find();
    if (platform === undefined || !runtime) throw new Error(`npm could not fetch ${key}.`);
    columns.push(...columnsOf(key, platform, runtime));
  }
  return columns;
}

/** @param {Column} column @param {Row} row */
const isRun = ({ workers }, { threadsOnly }) => threadsOnly !== true || workers === 'threads';

/** @param {Column} column @param {string} what */
const nameOf = ({ name, form, workers }, what) => `${name} ${form} ${workers} ${what}`;

/** @type {Map<string, string | undefined>} */
const failures = new Map();

/** @typedef {{ name: string, run: () => Promise<string | undefined> }} Cell */

/** @param {readonly Cell[]} cells */
async function runAll(cells) {
  // One iterator for all: each takes the next cell.
  const queue = cells.values();
  const take = async () => {
    for (const { name, run } of queue) {
      const failure = await run();
      failures.set(name, failure);
      if (failure === undefined) stdout.write(`${name}: yes\n`);
      else stderr.write(`${name}: FAILED\n${failure}\n`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
}

/**
 * @param {readonly Column[]} columns
 * @param {readonly Row[]} rows
 * @param {readonly { name: string, file: string }[]} examples
 * @param {string} folder
 * @returns {Cell[]}
 */
function cellsOf(columns, rows, examples, folder) {
  const cases = columns.flatMap((column) =>
    rows
      .filter((row) => isRun(column, row))
      .map((row) => ({ name: nameOf(column, row.id), run: () => runCell(folder, column, row) })),
  );
  const firsts = new Map(columns.map((column) => [column.name, column]));
  const runs = [...firsts.values()].flatMap((column) =>
    examples.map(({ name, file }) => ({ name: `${column.name} ${name}`, run: () => runExample(folder, column, file) })),
  );
  return [...cases, ...runs];
}

/** @param {Column} column @param {Row} row @returns {import('./table.mjs').Outcome} */
function outcomeOf(column, row) {
  if (!isRun(column, row)) return 'none';
  if (failures.get(nameOf(column, row.id)) !== undefined) return 'failed';
  return row.endings?.some((ending) => column.outlived.includes(ending)) === true ? 'runs on' : 'yes';
}

const { keys, prefix } = readArguments();
const columns = await findColumns(keys);
const rows = ROWS.filter(({ id }) => id.startsWith(prefix));
const { folder, examples: all } = await buildPrograms();
const examples = EXAMPLES.startsWith(prefix) ? all : [];
try {
  await runAll(cellsOf(columns, rows, examples, folder));
} finally {
  rmSync(folder, { recursive: true });
}
if (keys.length === Object.keys(PLATFORMS).length && prefix === '') {
  const text = page({
    columns,
    rows: ROWS,
    outcomeOf: (column, id) => outcomeOf(column, /** @type {Row} */ (ROWS.find((row) => row.id === id))),
    examples: examples.map(({ name }) => name),
    exampleOutcomeOf: (runtime, example) => (failures.get(`${runtime} ${example}`) === undefined ? 'yes' : 'failed'),
  });
  writeFileSync(join(root, 'docs', 'matrix.md'), text);
}
const failed = [...failures].filter(([, failure]) => failure !== undefined).map(([name]) => name);
stdout.write(
  `matrix: ${failures.size - failed.length} passed, ${failed.length} failed${failed.map((name) => `\n  ${name}`).join('')}\n`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
