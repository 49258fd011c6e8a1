// Tests the tool that applies mutants to the source.

import ts from 'typescript';
import { expect, test } from 'vitest';
import { declarationsOf, placesOf } from './model/anchor.ts';
import type { Edit, Mutant } from './model/mutants.ts';
import { changesOf, mutate } from './model/mutate.ts';

const TEXT = `
import { a, b } from './letters.ts';
/** Text in a comment: f(1, 2). */
export function f(x: number, y: number): number {
  // x + y
  if (x > y) return x + y;
  return f(x + y, (x + y) * 2);
}
export class C {
  #m = 1;
  m(): number { return this.#m + 1; }
}
`;
const source = ts.createSourceFile('text.ts', TEXT, ts.ScriptTarget.Latest, true);

function found(name: string, find: string): readonly string[] {
  const node = declarationsOf(source).get(name);
  if (node === undefined) throw new Error(`no ${name}`);
  return placesOf(find, { node, source }).map(({ from, to }) => TEXT.slice(from, to));
}

test('declarationsOf() returns functions, classes, members and imports', () => {
  expect([...declarationsOf(source).keys()]).toEqual(['import ./letters.ts', 'f', 'C', 'C.#m', 'C.m']);
});

test.each([
  ['f', 'x+y', ['x + y', 'x + y', 'x + y']],
  ['f', 'return x\n+ y;', ['return x + y;']],
  [
    'f',
    'if (x > y) return x + y; return f(x + y, (x + y) * 2);',
    ['if (x > y) return x + y;\n  return f(x + y, (x + y) * 2);'],
  ],
  ['f', 'x + y, (x + y) * 2', ['x + y, (x + y) * 2']],
  ['f', 'y, (x', []],
  ['f', 'f(1, 2)', []],
  ['C.m', 'this.#m', ['this.#m']],
  ['import ./letters.ts', 'a', ['a']],
])('in %s, %s is at the node or neighbouring nodes with these tokens', (name, find, places) => {
  expect(found(name, find)).toEqual(places);
});

const spin: Edit = { in: 'DEFAULT_POLICY', find: 'spinMicros: 20', replace: 'spinMicros: 22' };
const mutant = (edit: Edit, also?: Edit): Mutant => ({
  ...edit,
  ...(also === undefined ? {} : { also }),
  name: 'm',
  caughtBy: 'this test',
});

test.each([
  [
    'a declaration that does not exist',
    { ...spin, in: 'noSuchDeclaration' },
    'Mutant "m": noSuchDeclaration is declared in 0 files. Expected one.',
  ],
  [
    'a node that does not exist',
    { ...spin, find: 'spinMicros: 21' },
    'Mutant "m": expected `spinMicros: 21` exactly once in DEFAULT_POLICY, found it 0 times.',
  ],
  ['a file without the declaration', { ...spin, file: 'semaphore.ts' }, 'Expected one.'],
])('an edit of %s throws', (_, edit, message) => {
  expect(() => changesOf(mutant(edit))).toThrow(message);
  expect(() => changesOf(mutant(spin, edit))).toThrow(message);
});

test('edits that overlap throw', () => {
  expect(() => changesOf(mutant(spin, spin))).toThrow('overlap');
});

test('an edit of a file that the model does not load throws', async () => {
  await expect(mutate(mutant({ in: 'BoundedBuffer.create', find: 'options', replace: 'options' }))).rejects.toThrow();
});

test('the core with a mutant contains both edits of the mutant', async () => {
  const core = await mutate(
    mutant(spin, { in: 'DEFAULT_POLICY', find: 'longTermThreshold: 1', replace: 'longTermThreshold: 11' }),
  );
  expect(core.DEFAULT_POLICY).toMatchObject({ longTermThreshold: 11, spinMicros: 22 });
});
