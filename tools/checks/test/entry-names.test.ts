// Tests the exports that packages have only for each other. Without this test, a name that no package uses would stay
// forever.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesBelow, isWhole, root } from '../../../scripts/workspace.mjs';
import { ceilingProblems, namesOf, namesOfOne, sharedEntry } from '../src/entry-names.mjs';

const ENTRIES = [
  ['internal', 'internal.ts'],
  ['kernel', 'kernel/parts.ts'],
  ['format', 'kernel/format.ts'],
  ['steps', 'steps.ts'],
] as const;
/** Entries of the core alone. Other packages may have files with these names. */
const OF_CORE = ['calls', 'report'];

const folders = ['packages', 'tools', 'benchmarks'].map((folder) => join(root, folder));
const texts = filesBelow(folders)
  .filter((file) => /\.(ts|mjs)$/.test(file) && !file.endsWith('.generated.ts'))
  .map((file) => readFileSync(file, 'utf8'));

const entries = [
  ...readdirSync(join(root, 'packages')).flatMap((name) =>
    ENTRIES.map(([entry, file]) => ({
      entry: `@sluice/${name}/${entry}`,
      file: join(root, 'packages', name, 'src', file),
    })),
  ),
  ...OF_CORE.map((entry) => ({
    entry: `@sluice/core/${entry}`,
    file: join(root, 'packages', 'core', 'src', `${entry}.ts`),
  })),
];

test.skipIf(!isWhole()).each(entries.filter(({ file }) => existsSync(file)))(
  '$entry exports no name that only its own package uses',
  ({ entry, file }) => {
    const source = readFileSync(file, 'utf8');
    expect(source).not.toContain('export *');
    const exported = namesOf(source.matchAll(/export (?:type )?\{([^}]*)\} from/g));
    const imports = new RegExp(String.raw`(?:import|export) (?:type )?\{([^}]*)\} from '${entry}'`, 'g');
    const used = namesOf(texts.flatMap((text) => [...text.matchAll(imports)]));
    expect([...exported].filter((name) => !used.has(name))).toEqual([]);
  },
);

describe('the count of names', () => {
  const shared = sharedEntry(
    '@sluice/a/internal',
    "export { one, type Two } from './x.ts';\nexport { three } from './y.ts';",
    [
      { name: '@sluice/b', texts: ["import { one, type Two } from '@sluice/a/internal';"] },
      { name: '@sluice/c', texts: ["import { one } from '@sluice/a/internal';\nexport { three } from './own.ts';"] },
    ],
  );

  test('an entry has the packages that import each of its names', () => {
    expect([...shared.names].map(([name, users]) => [name, [...users]])).toEqual([
      ['one', ['@sluice/b', '@sluice/c']],
      ['Two', ['@sluice/b']],
      ['three', []],
    ]);
  });

  test('a name that one package imports is listed with that package', () => {
    expect([...namesOfOne([shared])]).toEqual([['@sluice/b', ['Two (@sluice/a/internal)']]]);
  });

  test.each([
    [2, '@sluice/a/internal exports 3 names, and its ceiling is 2: what one package uses belongs in that package'],
    [4, '@sluice/a/internal exports 3 names: lower its ceiling of 4'],
    [undefined, "@sluice/a/internal has no ceiling: add it to sluice.names in the package's manifest"],
  ])('an entry of three names is refused with the ceiling %s', (ceiling, problem) => {
    expect(ceilingProblems(shared, ceiling)).toEqual([problem]);
  });

  test('an entry is accepted if it has as many names as its ceiling', () => {
    expect(ceilingProblems(shared, 3)).toEqual([]);
  });
});
