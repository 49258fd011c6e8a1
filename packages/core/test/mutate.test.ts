// The tool that puts mutants into the source.

import { expect, test } from 'vitest';
import type { Edit } from './model/mutants.ts';
import { edited, mutate } from './model/mutate.ts';

const edit = (find: string, replace: string): Edit => ({ file: 'a.ts', find, replace });

test('all changes of a mutant in one file are made, whatever order they stand in', () => {
  expect(edited('one two three', [edit('three', '3'), edit('one', '1')], 'm')).toBe('1 two 3');
  expect(edited('one two', [edit('one', '$&$1')], 'm')).toBe('$&$1 two');
});

test.each([
  ['is not there', 'two'],
  ['is there twice', 'one two one'],
])('a line that %s is refused, be it the first or the second', (_, text) => {
  const edits = [edit('two', '2'), edit('one', '1')];
  for (const both of [edits, edits.toReversed()]) expect(() => edited(text, both, 'm')).toThrow('Mutant "m": its line is not in a.ts exactly once.');
});

test('a line that another change brings in or takes out is refused', () => {
  expect(() => edited('one two', [edit('one', 'two'), edit('two', '2')], 'm')).toThrow('exactly once');
  expect(() => edited('one two', [edit('one two', ''), edit('two', '2')], 'm')).toThrow('exactly once');
});

test('both changes of a mutant in the same file are in the core that comes out of it', async () => {
  const core = await mutate({
    name: 'other defaults',
    file: 'policy.ts',
    find: 'longTermThreshold: 1,',
    replace: 'longTermThreshold: 11,',
    also: { file: 'policy.ts', find: 'spinMicros: 20,', replace: 'spinMicros: 22,' },
    caughtBy: 'this test',
  });
  expect(core.DEFAULT_POLICY).toMatchObject({ longTermThreshold: 11, spinMicros: 22 });
});
