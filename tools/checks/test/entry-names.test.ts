// Tests the exports that packages have only for each other. Without this test, a name that no package uses would stay
// forever.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesBelow, isWhole, root } from '../../../scripts/workspace.mjs';

const ENTRIES = [
  ['internal', 'internal.ts'],
  ['kernel', 'kernel/parts.ts'],
] as const;

const folders = ['packages', 'tools', 'benchmarks'].map((folder) => join(root, folder));
const texts = filesBelow(folders)
  .filter((file) => /\.(ts|mjs)$/.test(file) && !file.endsWith('.generated.ts'))
  .map((file) => readFileSync(file, 'utf8'));

/** The names between the braces of imports or exports. */
function namesOf(lists: Iterable<RegExpMatchArray>): Set<string> {
  const items = [...lists].flatMap(([, list = '']) => list.split(','));
  return new Set(items.map((item) => /(?:type )?(\w+)/.exec(item.trim())?.[1] ?? '').filter((name) => name !== ''));
}

const entries = readdirSync(join(root, 'packages')).flatMap((name) =>
  ENTRIES.map(([entry, file]) => ({
    entry: `@sluice/${name}/${entry}`,
    file: join(root, 'packages', name, 'src', file),
  })),
);

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
