// Tests the outcomes of the steps of all packages: each number means the same outcome in every step that returns it.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const PACKAGES = fileURLToPath(new URL('../../', import.meta.url));
/** The first number that a kind may use for its own outcomes. */
const FIRST_OF_KINDS = -32;
/** An outcome has no type annotation; other constants of a kernel have one. */
const OUTCOME = /^export const (\w+) = (-\d+);/gm;

interface Outcome {
  readonly package: string;
  readonly name: string;
  readonly value: number;
}

const outcomes: readonly Outcome[] = readdirSync(PACKAGES).flatMap((name) => {
  const folder = join(PACKAGES, name, 'src');
  const all = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  const files = all.filter(
    (file) => file.split(sep).includes('kernel') && file.endsWith('.ts') && !file.endsWith('.generated.ts'),
  );
  return files.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(OUTCOME)].map(([, of = '', value]) => ({
      package: name,
      name: of,
      value: Number(value),
    })),
  );
});

test('no two outcomes of any packages share a number', () => {
  const shared = outcomes.filter(({ value }, index) => outcomes.findIndex((other) => other.value === value) !== index);
  expect(shared).toEqual([]);
});

test('no two outcomes share a name', () => {
  expect(new Set(outcomes.map(({ name }) => name)).size).toBe(outcomes.length);
});

test('the core and each kind have their own range of numbers', () => {
  expect(outcomes.length).toBeGreaterThan(30);
  expect(outcomes.filter(({ package: of, value }) => value > FIRST_OF_KINDS !== (of === 'core'))).toEqual([]);
});

test('the lowest outcome is the base from which places in a ring are subtracted', () => {
  const started = outcomes.find(({ name }) => name === 'STARTED');
  expect(started?.value).toBe(Math.min(...outcomes.map(({ value }) => value)));
});
