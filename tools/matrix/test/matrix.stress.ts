// Runs the matrix on the current Node.js, so that its cases stay correct.

import { rmSync } from 'node:fs';
import { execPath, versions } from 'node:process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildPrograms } from '../src/build.mjs';
import { depth } from '../../harness/src/session.ts';
import { runCell } from '../src/cell.mjs';
import { FORMS, type Column } from '../src/columns.mjs';
import { ROWS, type Row } from '../src/rows.mjs';

const MAX_AT_ONCE = 2;

/** All endings of workers run in one process. */
const rows: readonly Row[] = [
  ...ROWS.filter(({ endings }) => endings === undefined),
  { id: 'kills', title: 'Recovery', case: 'kills' },
];

/** Both forms are built from one source, so a short run runs some of the rows as CommonJS. */
const rowsOf = (form: Column['form']): readonly Row[] =>
  depth === 'full' || form === 'esm' ? rows : rows.filter(({ id }, index) => index % 3 === 0 || id === 'kills');

let folder = '';

beforeAll(async () => {
  ({ folder } = await buildPrograms());
});

afterAll(() => rmSync(folder, { recursive: true }));

describe.each(FORMS)('the current Node.js, %s', (form) => {
  const column: Column = {
    key: 'node',
    name: `Node ${versions.node}`,
    command: [execPath],
    form,
    workers: 'threads',
    outlived: [],
  };
  test('every case of the matrix passes', async () => {
    const taken = rowsOf(form);
    const queue = taken.values();
    const take = async (): Promise<[string, string | undefined][]> => {
      const ended: [string, string | undefined][] = [];
      // One iterator for all: each takes the next row.
      for (const row of queue) ended.push([row.id, await runCell(folder, column, row)]);
      return ended;
    };
    const ended = (await Promise.all(Array.from({ length: MAX_AT_ONCE }, take))).flat();
    expect(ended).toHaveLength(taken.length);
    expect(ended.filter(([, failure]) => failure !== undefined)).toEqual([]);
  });

  test('the report of a failed case shows its error', async () => {
    await expect(runCell(folder, column, { id: 'none', title: '', case: 'no such case' })).resolves.toContain(
      'no such case',
    );
  });
});
