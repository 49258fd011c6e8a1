// Builds and loads the entry of a model, with or without a mutant.

import { build, type Plugin } from 'esbuild';
import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { declarationOf, placeOf, type Span } from './anchor.ts';
import type { Mutant } from './mutants.ts';
import type { Core } from './world.ts';

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url));
const ENTRY = new URL('entry.ts', import.meta.url);
/** The packages, by the names under which they import each other. */
const SOURCES = {
  '@sluice/core/calls': join(SOURCE, 'calls.ts'),
  '@sluice/core/format': join(SOURCE, 'kernel/format.ts'),
  '@sluice/core/report': join(SOURCE, 'report.ts'),
  ...Object.fromEntries(
    readdirSync(join(SOURCE, '../..')).flatMap((name) => {
      const source = join(SOURCE, `../../${name}/src`);
      return [
        [`@sluice/${name}/internal`, join(source, 'internal.ts')],
        [`@sluice/${name}/kernel`, join(source, 'kernel/parts.ts')],
        [`@sluice/${name}/js`, join(source, 'js.ts')],
        [`@sluice/${name}/steps`, join(source, 'steps.ts')],
        [`@sluice/${name}`, join(source, 'index.ts')],
      ];
    }),
  ),
};

export interface BuildOptions {
  readonly mutant?: Mutant;
  /** Whether `async` functions become generators, as async-loop.ts needs them. */
  readonly lowered?: boolean;
}

/**
 * Returns the exports of the core, or of another `entry`, with the mutant applied. Throws if an edit of the mutant does
 * not apply.
 */
export function mutate<Entry extends Core = Core>(mutant: Mutant, entry = ENTRY): Promise<Entry> {
  return load<Entry>(entry, { mutant });
}

/** Returns the exports of an entry. Throws if an edit of the mutant does not apply. */
export async function load<Entry>(entry: URL, { mutant, lowered }: BuildOptions): Promise<Entry> {
  const {
    outputFiles: [bundle],
  } = await build({
    entryPoints: [fileURLToPath(entry)],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    ...(lowered === true ? { supported: { 'async-await': false } } : {}),
    plugins: mutant === undefined ? [] : [change(mutant)],
    logLevel: 'silent',
    // The imports of packages must resolve to their sources, not their builds: a mutant changes the source.
    alias: SOURCES,
    external: ['node:*'],
  });
  const folder = await mkdtemp(join(tmpdir(), 'sluice-mutant-'));
  const file = join(folder, 'core.mjs');
  await writeFile(file, bundle?.contents ?? '');
  const core = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Entry;
  await rm(folder, { recursive: true });
  return core;
}

interface Change extends Span {
  readonly text: string;
}

/**
 * Returns the changes of a mutant by file. Throws if an edit has no place or several, or if its place lies within
 * another.
 */
export function changesOf({ also, ...edit }: Mutant): ReadonlyMap<string, readonly Change[]> {
  const changes = new Map<string, Change[]>();
  for (const each of also === undefined ? [edit] : [edit, also]) {
    const declaration = declarationOf(each, edit.name);
    const change = { ...placeOf(each, declaration, edit.name), text: each.replace };
    const here = changes.get(declaration.path) ?? [];
    if (here.some(({ from, to }) => change.from < to && from < change.to))
      throw new Error(`Mutant "${edit.name}": its edits overlap.`);
    changes.set(
      declaration.path,
      [...here, change].toSorted((a, b) => b.from - a.from),
    );
  }
  return changes;
}

export function edited(text: string, changes: readonly Change[]): string {
  return changes.reduce(
    (changed, { from, to, text: replacement }) => changed.slice(0, from) + replacement + changed.slice(to),
    text,
  );
}

function anyOf(paths: readonly string[]): RegExp {
  const names = paths.map((path) => basename(path).replaceAll('.', String.raw`\.`));
  return new RegExp(`[\\\\/](${names.join('|')})$`);
}

function change(mutant: Mutant): Plugin {
  const changes = changesOf(mutant);
  const applied = new Set<string>();
  return {
    name: 'mutant',
    setup(bundler) {
      // The filter matches only the changed files, because each match costs a message to this process and back.
      bundler.onLoad({ filter: anyOf([...changes.keys()]) }, async ({ path }) => {
        const here = changes.get(path);
        if (here === undefined) return undefined;
        applied.add(path);
        return { contents: edited(await readFile(path, 'utf8'), here), loader: 'ts' };
      });
      bundler.onEnd(() => {
        for (const path of changes.keys())
          if (!applied.has(path)) throw new Error(`Mutant "${mutant.name}": the model does not load ${path}.`);
      });
    },
  };
}
