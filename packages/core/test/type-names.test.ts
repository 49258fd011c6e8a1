// The names of the types and classes that the files of all packages export: each has one meaning.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isWhole } from '../../../scripts/workspace.mjs';

const PACKAGES = fileURLToPath(new URL('../../', import.meta.url));
const EXPORTED = /^export (?:abstract )?(?:class|interface|type) (\w+)/gm;

/** Public names that two packages have for the same thing. */
const TWINS: ReadonlySet<string> = new Set([
  'BarrierResult',
  'ConnectOptions',
  'Consistency',
  'RunOptions',
  'WritableOptions',
]);

const places = new Map<string, string[]>();
for (const name of readdirSync(PACKAGES)) {
  const folder = join(PACKAGES, name, 'src');
  const all = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  for (const file of all.filter((path) => path.endsWith('.ts') && !path.endsWith('.generated.ts'))) {
    for (const [, type = ''] of readFileSync(join(folder, file), 'utf8').matchAll(EXPORTED))
      places.set(type, [...(places.get(type) ?? []), `${name}/${file}`]);
  }
}

test('no two files export a type or a class of the same name, except public names for the same thing', () => {
  const twice = [...places].filter(([type, files]) => files.length > 1 && !TWINS.has(type));
  expect(places.size).toBeGreaterThan(isWhole() ? 500 : 100);
  expect(twice).toEqual([]);
});

test.runIf(isWhole())('each listed name is still there twice', () => {
  expect([...TWINS].filter((type) => (places.get(type)?.length ?? 0) < 2)).toEqual([]);
});
