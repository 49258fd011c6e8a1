// Tests the names in docs/compare.md: those of Sluice, and those of the compared npm libraries.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const LIBRARIES = ['multithreading', 'async-mutex', 'p-limit', 'p-queue', 'piscina', 'tinypool'];

interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

function tablesOf(page: string): Table[] {
  const blocks = page.split('\n\n').filter((block) => block.startsWith('|'));
  return blocks.map((block) => {
    const [head = '', , ...rows] = block.trim().split('\n');
    return { head: cellsOf(head), rows: rows.map(cellsOf) };
  });
}

/** The names in backquotes. */
const namesIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

/** Whether the text has the name as a word. */
const has = (text: string, name: string): boolean =>
  new RegExp(`(?<![\\w$])${name.replaceAll('.', '\\.')}(?![\\w$])`).test(text);

function declarationsOf(library: string): string {
  const directory = `${root}examples/migrating/node_modules/${library}/`;
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => /\.d\.[cm]?ts$/.test(file) && !file.includes('node_modules'))
    .map((file) => readFileSync(directory + file, 'utf8'))
    .join('\n');
}

const tables = tablesOf(readFileSync(`${root}docs/compare.md`, 'utf8'));
const features = tables[0];
const packages = readdirSync(`${root}packages`).filter((name) => name !== 'sluice' && !name.startsWith('.'));

test('the page has the tables that are checked here', () => {
  const firsts = tables.map(({ head }) => head.slice(0, 2).join(' '));
  expect(firsts).toEqual([' Sluice', ' Sluice', ' Sluice', ' Sluice', ' Sluice', 'Library ', 'Sluice Rust']);
});

test('every row of features has as many cells as its head', () => {
  for (const { head, rows } of tables) for (const row of rows) expect(row, row[0]).toHaveLength(head.length);
});

test.each(packages)('%s has a row', (name) => {
  expect(features?.rows.map(([, , package_]) => package_)).toContain(`\`${name}\``);
});

test.each(features?.rows.map(([title = '', names = '', package_ = '']) => ({ title, names, package_ })) ?? [])(
  '$title: its package exports $names',
  ({ names, package_ }) => {
    const index = readFileSync(`${root}packages/${package_.replaceAll('`', '')}/src/index.ts`, 'utf8');
    expect(namesIn(names)).not.toEqual([]);
    for (const name of namesIn(names)) expect(has(index, name), name).toBe(true);
  },
);

describe.each(LIBRARIES)('%s', (library) => {
  const declarations = declarationsOf(library);
  const names = tables.flatMap(({ head, rows }) => {
    const column = head.indexOf(library);
    return column < 0 ? [] : rows.flatMap((row) => namesIn(row[column] ?? ''));
  });

  test('has every name that the page mentions', () => {
    expect(names).not.toEqual([]);
    expect(names.filter((name) => !has(declarations, name))).toEqual([]);
  });

  test('a missing name would be found', () => {
    expect(has(declarations, 'acquireInOrderOfArrival')).toBe(false);
  });
});
