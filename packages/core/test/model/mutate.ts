// Builds the models' entry with one mutant in it.

import { build, type BuildOptions, type Plugin } from 'esbuild';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Edit, Mutant } from './mutants.ts';
import type { Core } from './world.ts';

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url));
const ENTRY = new URL('entry.ts', import.meta.url);
/** Packages that have models, by the names under which they import each other. */
const SOURCES = Object.fromEntries(
  ['core', 'locks', 'capacitor', 'address-wait', 'semaphores'].flatMap((name) => {
    const source = join(SOURCE, `../../${name}/src`);
    return [
      [`@sluice/${name}/internal`, join(source, 'internal.ts')],
      [`@sluice/${name}`, join(source, 'index.ts')],
    ];
  }),
);

/**
 * The core, or what another `entry` exports, with the mutant's line in it. Throws when the line is not there exactly once.
 */
export function mutate<Entry extends Core = Core>(mutant: Mutant, entry = ENTRY): Promise<Entry> {
  return bundle<Entry>(entry, mutant);
}

/** What an entry exports, with its `async` functions lowered to generators, as async-loop.ts needs them; or with a mutant in it besides. */
export function lowered<Entry>(entry: URL, mutant?: Mutant): Promise<Entry> {
  return bundle<Entry>(entry, mutant, { supported: { 'async-await': false } });
}

async function bundle<Entry>(entry: URL, mutant: Mutant | undefined, more: BuildOptions = {}): Promise<Entry> {
  const { outputFiles = [] } = await build({
    entryPoints: [fileURLToPath(entry)],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    plugins: mutant === undefined ? [] : [replaceLine(mutant)],
    logLevel: 'silent',
    // Not what was built of them: a mutant is in the source.
    alias: SOURCES,
    ...more,
  });
  const folder = await mkdtemp(join(tmpdir(), 'sluice-mutant-'));
  const file = join(folder, 'core.mjs');
  await writeFile(file, outputFiles[0]?.contents ?? '');
  const core = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Entry;
  await rm(folder, { recursive: true });
  return core;
}

function replaceLine(mutant: Mutant): Plugin {
  return {
    name: 'mutant',
    setup(plugged) {
      plugged.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const here = editsOf(mutant).filter(({ file }) => path === join(SOURCE, file));
        return here.length === 0 ? undefined : { contents: edited(await readFile(path, 'utf8'), here, mutant.name), loader: 'ts' };
      });
    },
  };
}

function editsOf({ also, ...edit }: Mutant): readonly Edit[] {
  return also === undefined ? [edit] : [edit, also];
}

/** The text with all of these changes in it. Throws when a line of `name`, once the changes before it are made, is not there exactly once. */
export function edited(text: string, edits: readonly Edit[], name: string): string {
  return edits.reduce((changed, { file, find, replace }) => {
    if (changed.split(find).length !== 2) throw new Error(`Mutant "${name}": its line is not in ${file} exactly once.`);
    return changed.replace(find, () => replace);
  }, text);
}
