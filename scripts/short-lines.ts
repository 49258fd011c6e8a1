// Breaks long lists of imports and exports, which Rollup writes in one line each.
//
// Node.js prints such a line if a program imports a name that does not exist.

import { readFile, writeFile } from 'node:fs/promises';
import type { Options } from 'tsup';

type Plugin = NonNullable<Options['plugins']>[number];

const MAX_COLUMNS = 160;
const LIST = /^((?:import|export) \{)([^}\n]*)(\}(?: from '[^'\n]+')?;)$/gm;

function broken(line: string, open: string, names: string, end: string): string {
  if (line.length <= MAX_COLUMNS) return line;
  const lines = [''];
  for (const name of names.trim().split(', ')) {
    const last = lines.at(-1) ?? '';
    if (last.length + name.length > MAX_COLUMNS - 4) lines.push(`${name},`);
    else lines[lines.length - 1] = last === '' ? `${name},` : `${last} ${name},`;
  }
  return `${open}\n${lines.map((each) => `  ${each}\n`).join('')}${end}`;
}

/** Rewrites the ES modules of a package. Before `pageBuild`, which copies them. */
export function shortLines(): Plugin {
  return {
    name: 'short-lines',
    async buildEnd({ writtenFiles }) {
      for (const { name } of writtenFiles.filter((file) => file.name.endsWith('.js'))) {
        const text = await readFile(name, 'utf8');
        await writeFile(name, text.replaceAll(LIST, broken));
      }
    },
  };
}
