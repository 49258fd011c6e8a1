// Checks that each mutant of each package applies to the sources. This takes seconds, while a run of the models takes
// minutes.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { changesOf } from './model/mutate.ts';
import type { Edit, Mutant } from './model/mutants.ts';

const PACKAGES = fileURLToPath(new URL('../../', import.meta.url));

/** Lists the files with mutants. */
const files = readdirSync(PACKAGES).flatMap((name) => {
  const folder = `${name}/test`;
  if (!existsSync(join(PACKAGES, folder))) return [];
  const found = readdirSync(join(PACKAGES, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
    file.replaceAll(sep, '/'),
  );
  return found.flatMap((file) => (/(^|\/)model\/[^/]*mutants\.ts$/.test(file) ? [`${folder}/${file}`] : []));
});

function isMutants(value: unknown): value is readonly Mutant[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((each: Partial<Mutant>) => typeof each.caughtBy === 'string')
  );
}

/**
 * Returns the identifiers of a text, which may be a part of an expression. With `free`: only identifiers that the text
 * neither declares nor uses as names of members.
 */
function namesIn(text: string, free = false): Set<string> {
  const found = new Set<string>();
  const own = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) (free && isDeclared(node) ? own : found).add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('text.ts', text, ts.ScriptTarget.Latest, true));
  return new Set([...found].filter((name) => name !== '' && !own.has(name)));
}

function isDeclared(name: ts.Identifier | ts.PrivateIdentifier): boolean {
  // A private name after a dot must be declared, a public one need not be.
  return !ts.isPrivateIdentifier(name) && 'name' in name.parent && name.parent.name === name;
}

/**
 * Returns the faults of a mutant. A name that its file does not declare would end every schedule, whatever the mutant
 * changes.
 */
function faultsOf(mutant: Mutant): string[] {
  try {
    const edits: readonly Edit[] = mutant.also === undefined ? [mutant] : [mutant, mutant.also];
    const imported = edits.flatMap((edit) => (edit.in.startsWith('import ') ? [...namesIn(edit.replace)] : []));
    return [...changesOf(mutant)].flatMap(([path, changes]) => {
      const known = new Set([
        ...namesIn(readFileSync(path, 'utf8')),
        ...imported,
        ...Object.getOwnPropertyNames(globalThis),
        // Outside its generator, it is parsed as a name.
        'yield',
      ]);
      // One edit may declare a name that another edit uses.
      const all = changes.map(({ text }) => text).join('\n;\n');
      const unknown = [...namesIn(all, true)].filter((name) => !known.has(name));
      return unknown.map((name) => `Mutant "${mutant.name}": its file does not know the name ${name}.`);
    });
  } catch (failure) {
    return [String(failure)];
  }
}

test.each(files)('each mutant of %s applies to the sources', async (file) => {
  const exports = (await import(/* @vite-ignore */ pathToFileURL(join(PACKAGES, file)).href)) as object;
  const mutants = Object.values(exports).filter(isMutants).flat();
  expect(mutants.length).toBeGreaterThan(0);
  expect(mutants.flatMap(faultsOf)).toEqual([]);
});

test.each([
  ['a place that does not exist', { in: 'DEFAULT_POLICY', find: 'spinMicros: 21', replace: '' }, 'found it 0 times'],
  [
    'a name that its file does not declare',
    { in: 'DEFAULT_POLICY', find: 'spinMicros: 20', replace: 'spinMicros: NOWHERE' },
    'does not know the name NOWHERE',
  ],
])('the check reports a mutant with %s', (_, edit, fault) => {
  expect(faultsOf({ ...edit, name: 'm', caughtBy: 'this test' })).toEqual([expect.stringContaining(fault)]);
});
