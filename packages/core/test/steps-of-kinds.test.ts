// The names of the steps of all packages. An agent has all steps in one table, so a step's name contains the name of
// its primitive, or of a part of it.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const PACKAGES = fileURLToPath(new URL('../../', import.meta.url));

/** The names that a kernel exports, as its file `steps.ts` lists them. */
function stepsOf(file: string): string[] {
  const lists = [...readFileSync(file, 'utf8').matchAll(/export \{([^}]*)\} from/g)];
  return lists.flatMap(([, list = '']) =>
    list.split(',').flatMap((item) => /(\w+)$/.exec(item.trim())?.slice(1) ?? []),
  );
}

/** By folder of a kernel in `src`: a pattern with the names of its primitives and of their parts. */
type Nouns = Readonly<Record<string, string>>;

/** Returns the nouns of a package, as its manifest lists them. */
function nounsOf(name: string): Nouns {
  const manifest = JSON.parse(readFileSync(join(PACKAGES, name, 'package.json'), 'utf8')) as {
    readonly sluice?: { readonly nouns?: Nouns };
  };
  return manifest.sluice?.nouns ?? {};
}

const kernels = readdirSync(PACKAGES)
  .filter((name) => existsSync(join(PACKAGES, name, 'src')))
  .flatMap((name) =>
    readdirSync(join(PACKAGES, name, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.split(sep).slice(-2).join('/') === 'kernel/steps.ts')
      .map((path) => {
        const folder = path.split(sep).slice(0, -1).join('/');
        return { name, folder, nouns: nounsOf(name)[folder], steps: stepsOf(join(PACKAGES, name, 'src', path)) };
      }),
  );

test.each(kernels.filter(({ name }) => name !== 'core'))(
  'each step in $name/src/$folder has one of the nouns in its name that the manifest lists',
  ({ nouns, steps }) => {
    const pattern = new RegExp(nouns ?? '(?!)');
    expect(steps.length).toBeGreaterThan(0);
    expect(steps.filter((step) => !pattern.test(step))).toEqual([]);
  },
);

test('the nouns of each manifest are those of its kernels', () => {
  for (const name of new Set(kernels.map((kernel) => kernel.name))) {
    const folders = kernels.filter((kernel) => kernel.name === name && name !== 'core').map(({ folder }) => folder);
    expect([name, Object.keys(nounsOf(name)).sort()]).toEqual([name, folders.sort()]);
  }
});

test('no two kernels have a step of the same name', () => {
  const all = kernels.flatMap(({ steps }) => steps);
  expect(all.filter((step, index) => all.indexOf(step) !== index)).toEqual([]);
});
