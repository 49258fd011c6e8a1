// Tests that the matrix runs every case that is not for browsers only, and that the cases use every class.

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { caseNames } from '../../cases/src/names.mjs';
import { ROWS } from '../src/rows.mjs';

const FOR_BROWSERS = ['headers', 'policy'];
const folder = fileURLToPath(new URL('../../cases/src/cases', import.meta.url));

test('every case that is not for browsers only has a row', () => {
  const cases = caseNames().filter((name) => !FOR_BROWSERS.includes(name));
  expect(cases.length).toBeGreaterThan(20);
  expect([...new Set(ROWS.map((row) => row.case))].sort()).toEqual(cases);
});

test('the cases use every class of which programs create instances', () => {
  const everything = createRequire(import.meta.url)('../../../packages/sluice') as Readonly<Record<string, unknown>>;
  const classes = Object.entries(everything)
    .filter(([, value]) => typeof value === 'function' && 'create' in value)
    .map(([name]) => name);
  expect(classes.length).toBeGreaterThan(30);
  // In the case `headers` they only throw.
  const texts = readdirSync(folder)
    .filter((file) => file !== 'headers.ts')
    .map((file) => readFileSync(`${folder}/${file}`, 'utf8'))
    .join('\n');
  expect(classes.filter((name) => !new RegExp(`\\b${name}\\b`).test(texts))).toEqual([]);
});
